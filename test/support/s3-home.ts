// A home with its bytes in a bucket, and the move there.

import type { Migrated } from "../../src/syscalls/system/storage.ts";
import type { TestKernel } from "./kernel.ts";
import { BUCKET, KEYS, newPrefix, type S3Server } from "./s3.ts";

/** Settings only; returns a unique prefix. */
export async function useBucket(home: TestKernel, server: S3Server): Promise<string> {
  const prefix = newPrefix();
  const changes = {
    "storage.s3.endpoint": server.endpoint,
    "storage.s3.bucket": BUCKET,
    "storage.s3.prefix": prefix,
    "storage.s3.accessKeyId": KEYS.accessKeyId,
    "storage.s3.secretAccessKey": KEYS.secretAccessKey,
  };
  await home.person(0).call("config.apply", { changes, system: true });
  return prefix;
}

/** A call may need a retry, and the clock of the kernel only moves on command: a little ahead of the real one. */
export async function migrate(home: TestKernel, to: string): Promise<Migrated> {
  let isOver = false;
  const moved = home
    .person(0)
    .call<Migrated>("storage.migrate", { to })
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await home.clock.advance(10);
    await Promise.race([moved, Bun.sleep(2)]);
  }
  return moved;
}
