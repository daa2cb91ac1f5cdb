// `gsv chat` on a real terminal with a process that asks something: in the foreground the question appears there, in the background it blocks no one.

import { expect, test } from "bun:test";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { Session } from "../support/session.ts";

/** Longer than a question ignores keys at first. */
const READ_MS = 450;

function inTerminal(home: TestHome, argv: readonly string[]): Session {
  const env = { HOME: home.beside("."), PATH: process.env.PATH ?? "", GSV_HOME: home.directory };
  return new Session({ argv, env });
}

test("a person on a terminal gets a question on a line, and the answer takes effect; in the background there is no question", async () => {
  await withHome(async (home) => {
    const chat = [...gsvCommand(), "chat", "--new", "write me to ~/context.d/asked.md"];
    await using session = inTerminal(home, chat);
    await session.until(/enter later:$/);
    // Keys in the first moments are not an answer.
    await Bun.sleep(READ_MS);
    session.type("n keep it as it is\n");
    await session.until(/denied by/);
    expect(await session.exited()).toBe(0);
    expect(session.text()).toContain("keep it as it is.");

    const behind = 'set -m; "$@" & wait $!; echo "status $?"';
    // Only a terminal with job control has background processes.
    await using background = inTerminal(home, ["setsid", "-c", "-w", "bash", "-c", behind, "-", ...chat]);
    await background.until(/^status \d+$/m);
    expect(background.text()).toMatch(/answer with: gsv approve/);
    expect(background.text()).toEndWith("status 5");
  });
});
