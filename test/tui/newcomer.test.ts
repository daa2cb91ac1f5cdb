// Somebody's first quarter of an hour with nothing but the first screen: the real program, no model, no key. What stood on the terminal in the
// end is kept (test/golden/newcomer.txt), without what chance and the clock decide.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withHome } from "../support/home.ts";
import type { Session } from "../support/session.ts";

const GOLDEN = join(import.meta.dir, "../golden/newcomer.txt");
const READY = /^~ {2}init:1000.*\n›$/m;
/** After a card was seen; also on a machine that shows it late. */
const READ_MS = 450;

async function line(session: Session, text: string, then: RegExp): Promise<void> {
  await session.until(READY);
  session.type(text);
  // As it is typed, it says what it will be.
  await session.until((screen) => screen.split("\n").at(-1)?.endsWith(text) === true);
  session.type("\r");
  await session.until(then);
}

/** Scrollback and screen down to the row of where one is. */
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
    .replace(/(?<=while you were away \().*(?=\):)/, "9 s")
    .trim();
}

test(
  "with the first screen alone one asks, runs, starts a task, watches it, answers what it asks, leaves, and comes back",
  () =>
    withHome(async (home) => {
      const parts: string[] = [];
      {
        await using session = home.terminal();
        await line(session, "how do I stop a process?", /gsv proc kill[\s\S]*manual: processes[\s\S]*^›$/m);
        await line(session, "ls /proc", /^init:1000 {2}loadavg|loadavg[\s\S]*^›$/m);
        await line(session, "what is running &", /^\[1\] done {2}task:\w{6}/m);
        await line(session, "fg %1", /^now talking to task:\w{6}/m);
        // Its own row below says whose line this is now; the number of a process leads back.
        await session.until(/^~ {2}task:\w{6}/m);
        session.type("\x10");
        await session.until(/init:1000[\s\S]*esc back/);
        session.type("init\r");
        await session.until(/^now talking to init:1000/m);

        await line(session, "top", /^top {2}[\s\S]*└ task:\w{6}[\s\S]*q back/);
        session.type("q");

        // What is typed while a command has the terminal is echoed as any shell does it: its output says when it is over.
        await line(session, "echo hello > notes.md && cat notes.md", /^hello\n+~ {2}init:1000.*\n›$/m);
        await line(session, "delete ~/notes.md", /^\? init:1000 wants Delete ~\/notes\.md[\s\S]*y once/m);
        await Bun.sleep(READ_MS);
        session.type("y");
        await session.until(/^✓ approved: Delete ~\/notes\.md[\s\S]*^✓ Delete[\s\S]*^›$/m);

        await session.until(READY);
        session.type("\x04");
        expect(await session.exited()).toBe(0);
        parts.push(transcript(session));
      }
      expect((await home.gsv(["send", "what is running"])).status).toBe(0);
      expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
      await using session = home.terminal();
      await session.until(/^while you were away \(.*\): 1 answer[\s\S]*^›$/m);
      expect(session.text()).toContain("› what is running");
      parts.push(transcript(session));

      const told = `${parts.join("\n\n=== and back\n\n")}\n`;
      if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, told);
      expect(told).toBe(await Bun.file(GOLDEN).text());
    }),
  120_000,
);
