// An answer that grows, on a terminal: what it shows is right at every paint, and what it shows already is not written again.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Shown } from "../support/shown.ts";

/** Stands on the letter before it. */
const MARK = "\u0301";

test("an answer that grows by any letters and goes up as it stands: at every paint the terminal shows just that", async () => {
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

test("what stands where it is to stay is not written again, and a line that grows only by what came", async () => {
  const shown = new Shown(40, 12);
  shown.live("the first line", "the second line", "", "> ");
  await shown.painted();
  shown.screen.commit(["the first line", "the second line"]);
  shown.live("the third", "", "> ");
  shown.screen.paint();
  expect(shown.writes.join("")).not.toMatch(/first|second/);
  expect(await shown.painted()).toEqual(["the first line", "the second line", "the third", "", ">"]);
  shown.live("the third line", "", "> ");
  shown.screen.paint();
  expect(shown.writes.join("")).not.toContain("the");
  expect(await shown.painted()).toEqual(["the first line", "the second line", "the third line", "", ">"]);
  // What comes may stand on the last letter that is there.
  shown.live("the third linee\u0301", "", "> ");
  shown.screen.paint();
  expect(shown.writes.join("")).toContain("ee\u0301");
  await shown.painted();
  // What the terminal may have moved is written whole.
  shown.resize(40, 11);
  shown.screen.commit(["the third line"]);
  shown.live("", "> ");
  shown.screen.paint();
  expect(shown.writes.join("")).toContain("the third line");
});
