// A real S3 server in a process of its own, and object stores over it: each with a prefix, a home and rows of its own.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, realClock } from "../../src/lib/clock.ts";
import { type BucketOptions, bucketOf } from "../../src/objects/bucket.ts";
import { s3Objects } from "../../src/objects/s3.ts";
import { objectRows } from "../../src/store/kernel/objects.ts";
import { requestRows } from "../../src/store/kernel/requests.ts";
import { FakeClock } from "./clock.ts";
import { type DiskHome, kernelDbOf } from "./objects.ts";
import { seeded } from "./random.ts";

const CHILD = join(import.meta.dir, "s3-child.mjs");
export const BUCKET = "gsv-test";
/** The only credentials it knows. */
export const KEYS = { accessKeyId: "the-id-of-the-test", secretAccessKey: "the-secret-of-the-test" };

export interface S3Server {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), "gsv-s3-"));
  const child = Bun.spawn(
    [process.execPath, "--no-env-file", CHILD, directory, BUCKET, KEYS.accessKeyId, KEYS.secretAccessKey],
    {
      env: { PATH: process.env.PATH ?? "" },
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const { value } = await child.stdout.getReader().read();
  const { port } = JSON.parse(new TextDecoder().decode(value)) as { port: number };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await child.exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function bucketAt(endpoint: string, options: Partial<BucketOptions> = {}) {
  return bucketOf({
    ...{ endpoint, bucket: BUCKET, region: "us-east-1", prefix: "", ...KEYS },
    ...{ clock: realClock, random: () => new Uint8Array(1) },
    ...options,
  });
}

let prefixes = 0;

/** Below a unique prefix. */
export async function newS3(endpoint: string): Promise<DiskHome> {
  const home = await mkdtemp(join(tmpdir(), "gsv-objects-"));
  const under = await openS3(home, endpoint, newPrefix());
  return {
    ...under,
    dispose: async () => {
      await under.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export function newPrefix(): string {
  return `test-${process.pid}-${++prefixes}/`;
}

export async function openS3(
  home: string,
  endpoint: string,
  prefix: string,
  clock: Clock = new FakeClock(),
): Promise<DiskHome> {
  const kernel = kernelDbOf(home, clock);
  const bucket = bucketAt(endpoint, { prefix });
  const rows = objectRows(kernel);
  const directory = join(home, "objects");
  const random = seeded(process.pid * 104729 + Math.floor(performance.now())).bytes;
  return {
    home,
    directory,
    rows,
    requests: requestRows(kernel),
    store: s3Objects({ bucket: async () => bucket, place: "the bucket", directory, rows, clock, random }),
    dispose: async () => kernel.db.close(),
  };
}
