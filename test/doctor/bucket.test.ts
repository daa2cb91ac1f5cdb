// A home in a bucket, checked from outside: the doctor's report on the bucket, fsck's findings in it, and a backup that has
// the bytes and is restored to disk.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bytesName } from "../../src/objects/s3-names.ts";
import type { Closed } from "../../src/syscalls/services.ts";
import type { StorageStatus } from "../../src/syscalls/system/storage.ts";
import { keepingOf } from "../support/keeping.ts";
import { TestKernel } from "../support/kernel.ts";
import { Bed } from "../support/patient.ts";
import { bucketAt, type S3Server, startS3 } from "../support/s3.ts";
import { migrate, useBucket } from "../support/s3-home.ts";
import { scratchDirectory } from "../support/scratch.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.stop());

test("doctor probes the bucket, and fsck finds changed, missing and unknown content in it", async () => {
  using bed = await Bed.make();
  expect(await bed.look("storage")).toEqual([]);
  await bed.home.start();
  const prefix = await useBucket(bed.home, server);
  await migrate(bed.home, "s3");
  const sha256 = (await bed.home.stores.objects.head("home/sam/note"))?.sha256 ?? "";
  await bed.rest();
  expect(await bed.look("storage")).toEqual([expect.stringMatching(/^ok storage: the bucket answers: s3:/)]);
  expect(await bed.fsck()).toContainEqual(expect.stringMatching(/^ok objects: \d+ objects: checksums match/));
  const bucket = bucketAt(server.endpoint, { prefix });
  await bucket.put(bytesName(sha256), Buffer.from("A note"));
  await bucket.put(bytesName("0".repeat(64)), Buffer.from("stray"));
  const found = await bed.fsck();
  expect(found).toContain("problem objects: /home/sam/note: the content is damaged");
  expect(found).toContainEqual(expect.stringMatching(/^notice objects: bytes\/00\/0{64} in s3:/));
  await bucket.remove(bytesName(sha256));
  expect(await bed.fsck()).toContain("problem objects: /home/sam/note: the content is missing");
  bed.sql("kernel.db", "UPDATE config_kv SET value = 'elsewhere' WHERE key = 'config/storage/s3/bucket'");
  expect(await bed.look("storage")).toEqual([expect.stringContaining("problem storage: no bucket elsewhere")]);
  const unread = await bed.fsck();
  expect(unread).toContain(`problem archives: cannot read archives: no bucket elsewhere at ${server.endpoint}`);
  expect(unread.filter((line) => line.startsWith("problem objects"))).toHaveLength(1);
  bed.sql("kernel.db", "DELETE FROM config_kv WHERE key = 'config/storage/s3/secret_access_key'");
  expect(await bed.look("storage")).toEqual([expect.stringContaining("storage.s3.secretAccessKey is not set")]);
});

test("a kernel starts with an unreachable bucket, fails reads with the reason, and its settings can be corrected", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a", content: "in the bucket" });
  await useBucket(home, server);
  await migrate(home, "s3");
  const bucket = (value: string) =>
    home.person(0).call("config.set", { key: "storage.s3.bucket", value, system: true });
  await bucket("elsewhere");
  await home.restart();
  expect(await home.refusal("fs.read", { path: "~/a" })).toMatchObject({
    code: "ECONFIG",
    message: expect.stringContaining("elsewhere"),
  });
  await bucket("gsv-test");
  await home.restart();
  expect(await home.sys.call("fs.read", { path: "~/a" })).toMatchObject({ content: "in the bucket" });
});

test("a backup of a home in a bucket contains its bytes, and a restore puts them on disk", async () => {
  const directory = scratchDirectory("kept");
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a", content: "in the bucket" });
  await useBucket(home, server);
  await migrate(home, "s3");
  await home.say("hello");
  const { archiveId } = await home.sys.call<Closed>("proc.reset", {});
  const file = join(directory, "b.tar");
  const made = await keepingOf(home.directory).backup(file, { force: false });
  expect(made).toMatchObject({ faults: [], counts: { archives: 1 } });
  // Objects in the bucket take no space on this disk; leftovers of the move do.
  const { rows } = await keepingOf(home.directory).usage();
  expect(rows.map(({ kind, name }) => `${kind} ${name}`)).toContain("other objects");
  expect(rows.filter(({ kind }) => kind === "files" || kind === "archives")).toEqual([]);
  await using copy = await TestKernel.boot({ restore: file });
  expect(await copy.sys.call<StorageStatus>("storage.status", {})).toMatchObject({ driver: "disk" });
  expect(await copy.sys.call("fs.read", { path: "~/a" })).toMatchObject({ content: "in the bucket" });
  expect(await copy.sys.call("archive.verify", { id: archiveId })).toMatchObject({ ok: true });
  rmSync(directory, { recursive: true });
});
