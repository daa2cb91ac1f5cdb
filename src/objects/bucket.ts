// One bucket of an S3-compatible server, with the few requests that all servers implement alike: put, get, delete, list. Temporary
// failures are retried. Errors contain no key, no server response and no request URL.

import { SysError } from "../abi/errno.ts";
import { quickTryMs } from "../lib/backoff.ts";
import type { Clock } from "../lib/clock.ts";

export interface BucketSettings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface BucketOptions extends BucketSettings {
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** Timeout of a request that moves few bytes. */
  readonly requestMs?: number;
}

export interface BucketEntry {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface Bucket {
  /** Bytes, or the path of a file. */
  put(name: string, body: Uint8Array | { readonly path: string }): Promise<void>;
  /** Null if there is no such object; empty beyond its end. */
  get(name: string, range?: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array | null>;
  /** No error if there is no such object. */
  remove(name: string): Promise<void>;
  list(prefix: string): AsyncIterable<BucketEntry>;
  /** Checks server, bucket and keys with one request. */
  probe(): Promise<void>;
}

const TRIES_MAX = 4;
const REQUEST_MS = 30_000;
/** Slower transfers time out. */
const BYTES_PER_MS_MIN = 50;
const WRONG_KEYS = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "AccessDenied",
  "ExpiredToken",
  "InvalidToken",
  "ERR_S3_MISSING_CREDENTIALS",
]);
const ABSENT = new Set(["NoSuchKey", "NotFound"]);
/** Temporary errors. All others would fail again. */
const TEMPORARY = new Set([
  ...["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "RequestTimeTooSkewed", "UnknownError"],
  ...["ConnectionRefused", "ConnectionClosed", "ConnectionReset", "DNSResolveFailed", "FailedToOpenSocket", "Timeout"],
  ...["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "503", "502", "500", "504"],
]);

export function bucketOf(options: BucketOptions): Bucket {
  const { endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, requestMs = REQUEST_MS } = options;
  // Only these settings: the environment's AWS variables are for other services.
  const client = new Bun.S3Client({
    endpoint,
    bucket,
    region,
    accessKeyId,
    secretAccessKey,
    virtualHostedStyle: false,
  });
  const ask = <T>(request: () => Promise<T>, bytes = 0) =>
    withRetries(options, () => withTimeout(options.clock, request(), requestMs + bytes / BYTES_PER_MS_MIN));

  return {
    async put(name, body) {
      const source = body instanceof Uint8Array ? body : Bun.file(body.path);
      const size = body instanceof Uint8Array ? body.byteLength : Bun.file(body.path).size;
      await ask(() => client.write(prefix + name, source, { retry: 0 }), size);
    },

    get: (name, range) =>
      ask(async () => {
        const file = client.file(prefix + name);
        try {
          return await (range === undefined ? file : file.slice(range.offset, range.offset + range.bytesMax)).bytes();
        } catch (error) {
          const code = codeOf(error);
          if (ABSENT.has(code)) return null;
          if (code === "InvalidRange") return new Uint8Array();
          throw error;
        }
      }, range?.bytesMax),

    async remove(name) {
      await ask(async () => {
        await client.delete(prefix + name).catch((error: unknown) => {
          if (!ABSENT.has(codeOf(error))) throw error;
        });
      });
    },

    // Pages by last name: continuation tokens differ between servers.
    async *list(under) {
      for (let startAfter: string | undefined; ; ) {
        const query = { prefix: prefix + under, ...(startAfter === undefined ? {} : { startAfter }) };
        const { contents = [], isTruncated } = await ask(() => client.list(query));
        for (const { key, size = 0, lastModified } of contents)
          yield { name: key.slice(prefix.length), size, mtimeMs: Date.parse(String(lastModified)) };
        startAfter = contents.at(-1)?.key;
        if (isTruncated !== true || startAfter === undefined) return;
      }
    },

    async probe() {
      await ask(() => client.list({ prefix, maxKeys: 1 }));
    },
  };
}

async function withRetries<T>({ clock, random, ...settings }: BucketOptions, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      const code = codeOf(error);
      if (!TEMPORARY.has(code) || attempt === TRIES_MAX) throw translated(settings, code);
      await clock.sleep(quickTryMs(attempt, random));
    }
  }
}

// The request itself cannot be cancelled. A retry sends the same bytes under the same name.
async function withTimeout<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => late.reject(Object.assign(new Error("no answer in time"), { code: "Timeout" })));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
    work.catch(() => undefined);
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" || typeof code === "number" ? String(code) : "UnknownError";
}

function translated({ endpoint, bucket }: BucketSettings, code: string): SysError {
  if (WRONG_KEYS.has(code))
    return new SysError("EAUTH", `the object store at ${endpoint} rejected the access keys for ${bucket} (${code})`, [
      "gsv config set --system storage.s3.accessKeyId, and storage.s3.secretAccessKey; then gsv kernel stop",
    ]);
  if (code === "NoSuchBucket")
    return new SysError("ECONFIG", `no bucket ${bucket} at ${endpoint}`, [
      "create it, or set another: gsv config set --system storage.s3.bucket NAME",
    ]);
  if (TEMPORARY.has(code))
    return new SysError("EAGAIN", `cannot reach the object store at ${endpoint} (${code})`, [
      "check that it is running and try again; details: gsv doctor storage",
    ]);
  return new SysError("EIO", `the object store at ${endpoint} refused a request (${code.slice(0, 60)})`);
}
