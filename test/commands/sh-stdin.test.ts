// Scripts and their stdin: read up to the limit, and no further.

import { expect, test } from "bun:test";
import type { Input } from "../../commands/command.ts";
import { FakeIo, runs } from "../support/io.ts";

/** Endless; counts its reads. */
function endless(): { readonly stdin: Input; readonly asked: () => number } {
  let asked = 0;
  async function* bytes() {
    for (;;) {
      asked++;
      yield Buffer.alloc(64 * 1024, "y\n");
    }
  }
  return { stdin: { ...new FakeIo().stdin, kind: "pipe", bytes } as Input, asked: () => asked };
}

test.each([
  [["sh", "-c", "head -2"], "stdin is larger than 256 KiB"],
  [["sh"], "the script is larger than 512 KiB"],
  [["sh", "--host"], "the script is larger than 512 KiB"],
])("%j with an endless stdin is refused, and reads no more than needed to notice", async (args, says) => {
  const { stdin, asked } = endless();
  const io = Object.assign(new FakeIo(), { stdin });
  expect(await runs(io, ...args)).toBe(6);
  expect(io.stderr.text).toContain(says);
  expect(asked()).toBeLessThanOrEqual(9);
  expect(io.fakeSys.calls).toEqual([]);
});
