// The statements of a seed as rows: its words, what is done, what is seen. A row is one test, so that a statement that does not hold is named by
// its own words.

import { expect, test } from "bun:test";
import { FakeIo, runs } from "../support/io.ts";
import type { TestKernel } from "../support/kernel.ts";

/** Seen in the answer: a pattern in its text, or a part of it. */
type Seen = RegExp | object | string | number | boolean | null;
export type Row<World> = readonly [words: string, done: (world: World) => unknown, seen: Seen];

export function table<World>(rows: readonly Row<World>[], world: () => World): void {
  for (const [words, done, seen] of rows) {
    test(words, async () => {
      const answer = await done(world());
      if (seen instanceof RegExp) expect(typeof answer === "string" ? answer : JSON.stringify(answer)).toMatch(seen);
      else if (typeof seen === "object" && seen !== null) expect(answer as object).toMatchObject(seen);
      else expect(answer as typeof seen).toBe(seen);
    });
  }
}

/** A command line as it is typed, and what it prints; an error is thrown with its text. */
export async function gsv(home: TestKernel, line: string): Promise<string> {
  const io = Object.assign(new FakeIo(), { sys: () => home.sys });
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const status = await runs(io, ...words);
  if (status !== 0) throw new Error(`gsv ${line}: ${status} ${io.stderr.text}`);
  return io.stdout.text.trim();
}
