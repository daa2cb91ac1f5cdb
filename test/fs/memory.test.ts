// The object store in memory, for /tmp: a directory with many small files costs no more for each file than one with few.

import { expect, spyOn, test } from "bun:test";
import { separateStores } from "../../fs/memory.ts";
import type { ObjectStore } from "../../src/objects/objects.ts";

const store = (): ObjectStore => separateStores(() => 0, 64 * 1024 * 1024)(null);
const meta = (key: string) => ({
  ...{ key, uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 0, dirmarker: false, symlink: null },
});
const put = (objects: ObjectStore, key: string) => objects.put(meta(key), Buffer.from(key));
const keys = async (objects: ObjectStore, prefix: string) =>
  (await objects.page(prefix, null, 10_000)).map(({ key }) => key);

/** Keys compared while one more file is looked up, written, moved and removed. */
async function compared(files: number): Promise<number> {
  const objects = store();
  for (let at = 0; at < files; at++) await put(objects, `tmp/d/f${at}`);
  const compare = spyOn(Buffer, "compare");
  try {
    for (const key of ["tmp/d/new", "tmp/d/f00"]) {
      await objects.page(`${key}/`, null, 1);
      await put(objects, key);
      await objects.page("tmp/d/", null, 1);
      await objects.rename(key, `${key}.moved`);
      await objects.remove(`${key}.moved`);
      await objects.page("tmp/d/", null, 1);
    }
    return compare.mock.calls.length;
  } finally {
    compare.mockRestore();
  }
}

test("one more file costs about as much in a directory of 4000 as in one of 40", async () => {
  expect(await compared(4000)).toBeLessThan(4 * (await compared(40)));
});

test("keys stay in the order of their bytes through writes, moves of directories and removals", async () => {
  const objects = store();
  for (const key of ["b/x", "a", "b/\u{10000}", "b/\uFFFD", "b0", "b.c", "b"]) await put(objects, key);
  expect(await keys(objects, "")).toEqual(["a", "b", "b.c", "b/x", "b/\uFFFD", "b/\u{10000}", "b0"]);
  await put(objects, "c");
  await objects.rename("b", "c");
  expect(await keys(objects, "")).toEqual(["a", "b.c", "b0", "c", "c/x", "c/\uFFFD", "c/\u{10000}"]);
  await objects.remove("c/x");
  expect(await keys(objects, "c/")).toEqual(["c/\uFFFD", "c/\u{10000}"]);
  expect(Buffer.from(await objects.read("c/\uFFFD", { offset: 0, bytesMax: 99 })).toString()).toBe("b/\uFFFD");
});
