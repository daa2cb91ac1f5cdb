// Objects in a bucket outlive the database of their home: another home restores them from the sidecars, over the wire of the S3 server.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Rebuilt, StorageStatus, VerifiedPage } from "../../src/syscalls/system/storage.ts";
import { TestKernel } from "../support/kernel.ts";
import { bucketAt, type S3Server, startS3 } from "../support/s3.ts";
import { migrate, useBucket } from "../support/s3-home.ts";
import { type } from "../support/shell.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.stop());

const root = (home: TestKernel) => home.person(0);
const read = async (home: TestKernel, path: string) =>
  (await home.sys.call<{ content: string }>("fs.read", { path })).content;
const rebuild = (home: TestKernel, dryRun: boolean) => root(home).call<Rebuilt>("storage.rebuild", { dryRun });

test("a new home restores the files of a lost one, names what it cannot read, and keeps what is newer", async () => {
  await using lost = await TestKernel.boot();
  const files = {
    "~/a.txt": "one",
    "~/sub/b.txt": "two",
    "~/gone.txt": "three",
    "~/bent.txt": "four",
    "~/n.txt": "old",
  };
  for (const [path, content] of Object.entries(files)) await lost.sys.call("fs.write", { path, content });
  const prefix = await useBucket(lost, server);
  await migrate(lost, "s3");
  const shaOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const bucket = bucketAt(server.endpoint, { prefix });
  await bucket.remove(`bytes/${shaOf("three").slice(0, 2)}/${shaOf("three")}`);
  await bucket.put(`bytes/${shaOf("four").slice(0, 2)}/${shaOf("four")}`, Buffer.from("fOUR"));
  await bucket.put("meta/odd.json", Buffer.from('{"version":1,"key":"../../etc/passwd"}'));

  await using home = await TestKernel.boot();
  await useBucket(home, server);
  await root(home).call("config.set", { key: "storage.s3.prefix", value: prefix, system: true });
  await home.clock.advance(60_000);
  await home.sys.call("fs.write", { path: "~/n.txt", content: "new" });
  const dry = await rebuild(home, true);
  expect(await home.refusal("fs.read", { path: "~/a.txt" })).toMatchObject({ code: "ENOENT" });
  const done = await rebuild(home, false);
  const unread = [
    { name: "/home/sam/bent.txt", why: "its content is damaged" },
    { name: "/home/sam/gone.txt", why: "its content is missing" },
    { name: "meta/odd.json", why: "not a sidecar of gsv" },
  ];
  expect(dry).toMatchObject({ dryRun: true, restored: done.restored, failed: 3, unread });
  expect(done).toMatchObject({ dryRun: false, kept: 1, failed: 3, unread });
  expect(done.found).toBe(done.restored + done.same + done.kept + done.failed);
  expect([await read(home, "~/a.txt"), await read(home, "~/sub/b.txt"), await read(home, "~/n.txt")]).toEqual([
    "one",
    "two",
    "new",
  ]);
  expect((await root(home).call<VerifiedPage>("storage.verify", {})).faults).toEqual([]);
  const again = await rebuild(home, false);
  expect(again).toMatchObject({ found: done.found, restored: 0, failed: 3 });
  // The bucket is only read.
  expect(await read(lost, "~/a.txt")).toBe("one");
  expect((await lost.sys.call<StorageStatus>("storage.status", {})).driver).toBe("s3");
  expect((await type(home, "storage", "rebuild")).status).toBe(1);
});
