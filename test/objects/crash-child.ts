// Run by crash.test.ts in a process of its own: changes objects, prints each acknowledgement, and kills itself at one point of one change.

import { diskObjects } from "../../src/objects/disk.ts";
import type { ObjectRows } from "../../src/objects/objects.ts";
import { s3Objects } from "../../src/objects/s3.ts";
import { openDisk, plain, RECEIPT } from "../support/objects.ts";
import { seeded } from "../support/random.ts";
import { bucketAt } from "../support/s3.ts";

// With an endpoint the bytes go to a bucket there.
const [home = "", seam = "", change = "", endpoint = "", prefix = ""] = process.argv.slice(2);
const disk = await openDisk(home);

function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("still alive");
}

function at<A extends unknown[], R>(verb: string, call: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    if (seam === `before:${verb}`) die();
    const result = await call(...args);
    if (seam === `after:${verb}`) die();
    return result;
  };
}

const rows: ObjectRows = {
  ...disk.rows,
  intend: at("intend", disk.rows.intend),
  fulfil: at("fulfil", disk.rows.fulfil),
};
const random = seeded(process.pid).bytes;
const clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  sleep: async () => undefined,
  after: () => () => undefined,
};
const bucket = bucketAt(endpoint, { prefix });
const parts = { directory: disk.directory, rows, clock, random };
const store =
  endpoint === "" ? diskObjects(parts) : s3Objects({ ...parts, bucket: async () => bucket, place: "the bucket" });
const bytes = (content: string) => new TextEncoder().encode(content);

if (change === "loop") {
  // Until killed: prints every acknowledged write.
  for (let n = 0; ; n++) {
    const key = `loop/${n % 7}`;
    await store.put(plain(key), bytes(`${n}`.repeat(1 + (n % 5000))));
    process.stdout.write(`${key} ${n}\n`);
  }
}
if (change === "large") {
  // A file of many MiB, in, out and checked; prints the extra memory compared with a small file.
  const piece = new Uint8Array(1 << 20);
  async function* pieces(count: number) {
    for (let n = 0; n < count; n++) yield piece;
  }
  const bytes = await store.put(plain("small"), pieces(8)).then(({ size }) => size);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const meta = await store.put(plain("large"), pieces(Number(process.env.LARGE_MIB)));
  const sum = await store.bytes.sha256(meta);
  console.log(
    JSON.stringify({ bytes: bytes + meta.size, whole: sum === meta.sha256, grew: process.memoryUsage.rss() - before }),
  );
}
async function* dying() {
  yield bytes("new");
  die();
}
if (change === "put") await store.put(plain("d/a"), seam === "in:stream" ? dying() : bytes("new"), RECEIPT);
if (change === "create") await store.put(plain("e/f/g"), bytes("new"));
if (change === "empty") await store.putEmpty(["e/f/.dir", "e/.dir"].map((key) => plain(key)));
if (change === "remove") await store.remove("d/a", RECEIPT);
if (change === "rename") await store.rename("d/a", "d/b");
if (change === "move") await store.rename("d", "moved/d");
