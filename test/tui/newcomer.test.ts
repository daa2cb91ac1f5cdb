// A newcomer's first quarter of an hour with only the first screen: the real program, no model, no key. The golden file
// test/golden/newcomer.txt holds the screen at the end, without times and random names.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withHome } from "../support/home.ts";
import type { Session } from "../support/session.ts";

const GOLDEN = join(import.meta.dir, "../golden/newcomer.txt");
const READY = /^~ {2}init:1000.*\n›$/m;
/** After the time in which a card ignores keys. */
const READ_MS = 450;

async function line(session: Session, text: string, then: RegExp): Promise<void> {
  await session.until(READY);
  session.type(text);
  await session.until((screen) => screen.split("\n").at(-1)?.endsWith(text) === true);
  session.type("\r");
  await session.until(then);
}

/** Scrollback and screen down to the status row. */
function transcript(session: Session): string {
  const lines = session.everything();
  const end = lines.findLastIndex((each) => each.startsWith("~  init:1000"));
  return lines
    .slice(0, end === -1 ? undefined : end)
    .filter((each) => !/^ {2}[\d.]+ m?s$/.test(each))
    .join("\n")
    .replace(/(?<=home at |^gsv )\S+/gm, "…")
    .replace(/task:[a-z0-9]{6}/g, "task:aaaaaa")
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, "9 s")
    .replace(/(?<=While you were away \().*(?=\):)/, "9 s")
    .trim();
}

test(
  "with the first screen alone a newcomer asks, runs, starts a task, watches it, approves a call, leaves and comes back",
  () =>
    withHome(async (home) => {
      const parts: string[] = [];
      {
        await using session = home.terminal();
        await line(session, "how do I stop a process?", /gsv proc kill[\s\S]*manual: processes[\s\S]*^›$/m);
        await line(session, "ls /proc", /^init:1000 {2}loadavg|loadavg[\s\S]*^›$/m);
        await line(session, "what is running &", /^\[1\] done {2}task:\w{6}/m);
        await line(session, "fg %1", /^Switched to task:\w{6}/m);
        await session.until(/^~ {2}what is running/m);
        session.type("\x10");
        await session.until(/init:1000[\s\S]*esc close/);
        session.type("init\r");
        await session.until(/^Switched to init:1000/m);

        await line(session, "top", /^top {2}[\s\S]*└ task:\w{6}[\s\S]*q close/);
        session.type("q");

        // Keys typed while a command has the terminal are echoed by the terminal, so the output tells when it has ended.
        await line(session, "echo hello > notes.md && cat notes.md", /^hello\n+~ {2}init:1000.*\n›$/m);
        await line(session, "delete ~/notes.md", /^\? init:1000 wants to delete ~\/notes\.md[\s\S]*y allow once/m);
        await Bun.sleep(READ_MS);
        session.type("y");
        await session.until(/^✓ approved: Delete ~\/notes\.md.*\d m?s[\s\S]*^›$/m);

        await session.until(READY);
        session.type("\x04");
        expect(await session.exited()).toBe(0);
        parts.push(transcript(session));
      }
      expect((await home.gsv(["send", "what is running"])).status).toBe(0);
      expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
      await using session = home.terminal();
      await session.until(/^While you were away \(.*\): 1 answer[\s\S]*^›$/m);
      expect(session.text()).toContain("› what is running");
      parts.push(transcript(session));

      const shown = `${parts.join("\n\n=== and back\n\n")}\n`;
      if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, shown);
      expect(shown).toBe(await Bun.file(GOLDEN).text());
    }),
  120_000,
);
