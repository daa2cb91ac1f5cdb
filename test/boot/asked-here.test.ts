// `gsv chat` on a real terminal whose process asks something: in the foreground it is asked there, in the background it stops nobody.

import { expect, test } from "bun:test";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { Session } from "../support/session.ts";

/** Beyond the first moments of a question. */
const READ_MS = 450;

function inTerminal(home: TestHome, argv: readonly string[]): Session {
  const env = { HOME: home.beside("."), PATH: process.env.PATH ?? "", GSV_HOME: home.directory };
  return new Session({ argv, env });
}

test("a person on a terminal is asked on a line, and its answer is carried out; in the background nobody is", async () => {
  await withHome(async (home) => {
    const chat = [...gsvCommand(), "chat", "--new", "write me to /etc/asked"];
    await using session = inTerminal(home, chat);
    await session.until(/enter later:$/);
    // What comes in the first moments is no answer.
    await Bun.sleep(READ_MS);
    session.type("n keep it as it is\n");
    expect(await session.exited()).toBe(0);
    expect(session.text()).toContain("denied by");
    expect(session.text()).toContain("keep it as it is.");

    const behind = 'set -m; "$@" & wait $!; echo "status $?"';
    // Only a terminal that controls its processes has some in the background.
    await using background = inTerminal(home, ["setsid", "-c", "-w", "bash", "-c", behind, "-", ...chat]);
    await background.until(/^status \d+$/m);
    expect(background.text()).toMatch(/answer with: gsv approve/);
    expect(background.text()).toEndWith("status 5");
  });
});
