// A kernel keeps what it has read of its object rows until it changes one.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ObjectIntent, ObjectMeta, ObjectRows } from "../../src/objects/objects.ts";
import { KernelDb } from "../../src/store/kernel/db.ts";
import { objectRows } from "../../src/store/kernel/objects.ts";
import { FakeClock } from "../support/clock.ts";
import { kernelDbOf } from "../support/objects.ts";
import { scratchDirectory } from "../support/scratch.ts";

const meta = (key: string, uid = 1): ObjectMeta => {
  const about = { gid: 1, mode: 0o644, type: "text/plain", size: 0, sha256: "", mtimeMs: 1, dirmarker: false };
  return { key, uid, ...about, symlink: null };
};

async function seen(rows: ObjectRows): Promise<string> {
  const [a, some, page] = [await rows.get("a"), await rows.some(["a", "b/c"]), await rows.page("b/", null, 1)];
  return [a?.uid ?? "-", some.map(({ key }) => key).join(), page.map(({ key }) => key).join()].join(" ");
}

async function fulfilled(rows: ObjectRows, intent: ObjectIntent): Promise<void> {
  await rows.intend(intent);
  await rows.fulfil(intent, "done");
}

test("every read sees the last change, in the kernel and without it", async () => {
  const home = scratchDirectory("rows");
  const kernel = kernelDbOf(home, new FakeClock());
  const rows = objectRows(kernel);
  const reader = KernelDb.openForReading(join(home, "kernel.db"));
  if (reader === null) throw new Error("no reader");
  const outside = objectRows(reader);
  const both = async () => [await seen(rows), await seen(rows), await seen(outside)];
  const thrice = (text: string) => [text, text, text];
  expect(await both()).toEqual(thrice("-  "));
  await rows.put(meta("a"));
  expect(await both()).toEqual(thrice("1 a "));
  await rows.put(meta("a", 2));
  expect(await both()).toEqual(thrice("2 a "));
  await fulfilled(rows, { id: "1", kind: "put", meta: meta("b/c"), temporary: "t" });
  expect(await both()).toEqual(thrice("2 a,b/c b/c"));
  await fulfilled(rows, { id: "2", kind: "rename", from: "b", to: "d" });
  expect(await both()).toEqual(thrice("2 a "));
  await fulfilled(rows, { id: "3", kind: "remove", key: "a" });
  expect(await both()).toEqual(thrice("-  "));
  reader.close();
  kernel.close();
});

test("a refused change leaves the rows as they are", async () => {
  const home = scratchDirectory("rows");
  const kernel = kernelDbOf(home, new FakeClock());
  const rows = objectRows(kernel);
  await rows.put(meta("a"));
  // The next kernel has taken over.
  kernelDbOf(home, new FakeClock()).close();
  expect(await seen(rows)).toBe("1 a ");
  await expect(rows.put(meta("a", 2))).rejects.toThrow("another kernel");
  expect(await seen(rows)).toBe("1 a ");
  kernel.close();
});
