// Two terminals on one process, with the real program.

import { expect, test } from "bun:test";
import { withHome } from "../support/home.ts";
import type { Session } from "../support/session.ts";

const SCRIPT = [
  { text: "Answer one.", chunk: 4, chunkDelayMs: 10 },
  { text: "I remove it.", calls: [{ name: "Delete", args: { path: "~/a.md" } }] },
  { text: "It stays." },
  { text: "Said while nobody looked." },
];
const KEYS_COUNT_AFTER_MS = 450;

/** From the first question down to the status row. */
function talk(session: Session): readonly string[] {
  const lines = session.everything();
  const from = lines.findIndex((line) => line.includes("first question"));
  return lines
    .slice(
      from,
      lines.findLastIndex((line) => line.startsWith("~  init:1000")),
    )
    .filter((line) => line !== "");
}

test(
  "two terminals show the same, either answers a request, and a return sums up what was missed",
  () =>
    withHome(async (home) => {
      const env = { GSV_MODEL: `script:${await home.file("script.jsonl", SCRIPT)}` };
      {
        await using one = home.terminal(env, { columns: 80, rows: 24 });
        await one.until(/^~ {2}init:1000/m);
        await using two = home.terminal(env, { columns: 80, rows: 24 });
        await two.until(/^~ {2}init:1000/m);
        one.type("first question\r");
        for (const each of [one, two]) await each.until(/› first question\n\n {2}Answer one\./);
        two.type("second question\r");
        for (const each of [one, two]) await each.until(/wants to delete/);
        await Bun.sleep(KEYS_COUNT_AFTER_MS);
        one.type("n");
        for (const each of [one, two]) await each.until(/ {2}It stays\.\n\n+~/);
        // The terminal that answered shows no name.
        const named = talk(one).map((line) => line.replace("✗ denied: ", "✗ denied by sam: "));
        expect(talk(two)).toEqual(named);
        for (const each of [one, two]) {
          each.type("\x04");
          expect(await each.exited()).toBe(0);
        }
      }
      expect((await home.gsv(["chat", "go on"], { env })).status).toBe(0);
      await using again = home.terminal(env, { columns: 80, rows: 24 });
      await again.until(/^While you were away \(\d+s\): 1 answer$/m);
      expect(again.text()).toContain("Said while nobody looked.");
    }),
  30_000,
);
