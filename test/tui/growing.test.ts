// A growing answer: every paint shows the right rows.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Shown } from "../support/shown.ts";

/** A combining mark. */
const MARK = "\u0301";

test("while an answer grows by any letters and moves into scrollback, every paint is right", async () => {
  const piece = fc.constantFrom(
    "word ",
    "x",
    " ",
    "e\u0301",
    "\u0301",
    "中",
    "👍",
    "\x1b[1mbold\x1b[22m",
    "1\ufe0f\u20e3",
  );
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ grows: piece }) },
    { weight: 2, arbitrary: fc.record({ ends: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ finishes: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ says: fc.integer({ min: 1, max: 60 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const shown = new Shown(24, 9);
      const said: string[] = [];
      let open = [""];
      for (const [turn, move] of steps.entries()) {
        const last = open.at(-1) ?? "";
        if ("grows" in move) {
          const stands = move.grows !== MARK || last.endsWith("x");
          if (stands && Bun.stringWidth(last + move.grows) < 23) open = [...open.slice(0, -1), last + move.grows];
        } else if ("ends" in move) open = [...open, ""].slice(-4);
        else {
          const done = "says" in move ? ["#".repeat(move.says)] : open.slice(0, move.finishes);
          if ("finishes" in move) open = open.length > move.finishes ? open.slice(move.finishes) : [""];
          said.push(...done);
          shown.screen.commit(done);
        }
        const live = [...open, "", `status ${Math.floor(turn / 3)}`, "> "];
        shown.live(...live);
        const plain = [...said, ...live].map((line) => Bun.stripANSI(line).trimEnd());
        expect(await shown.painted()).toEqual(plain);
      }
    }),
    { numRuns: 80 },
  );
});
