// One bucket of an S3-compatible server, in the few requests that every such server answers alike: put, get, delete, list. What passes by
// itself is tried again; what a person has to mend is said in their words. No key, no answer of the server and no address of a
// request is ever part of an error.

import { SysError } from "../abi/errno.ts";
import { quickTryMs } from "../lib/backoff.ts";
import type { Clock } from "../lib/clock.ts";

export interface BucketSettings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Ends with a slash, or is empty. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface BucketOptions extends BucketSettings {
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** For one request that moves few bytes. */
  readonly requestMs?: number;
}

export interface Listed {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface Bucket {
  /** Bytes, or the path of a file that holds them. */
  put(name: string, body: Uint8Array | { readonly path: string }): Promise<void>;
  /** Null when there is nothing of that name; empty beyond its end. */
  get(name: string, range?: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array | null>;
  /** Nothing of that name is as good. */
  remove(name: string): Promise<void>;
  list(prefix: string): AsyncIterable<Listed>;
  /** One request that needs the server, the bucket and the keys. */
  probe(): Promise<void>;
}

const TRIES_MAX = 4;
const REQUEST_MS = 30_000;
/** Slower than this is as good as broken. */
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
/** Everything else that a server refuses, it would refuse again. */
const PASSES = new Set([
  ...["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "RequestTimeTooSkewed", "UnknownError"],
  ...["ConnectionRefused", "ConnectionClosed", "ConnectionReset", "DNSResolveFailed", "FailedToOpenSocket", "Timeout"],
  ...["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "503", "502", "500", "504"],
]);

export function bucketOf(options: BucketOptions): Bucket {
  const { endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, requestMs = REQUEST_MS } = options;
  // One read of the settings and nothing else: what the environment says of other services is not meant for this one.
  const client = new Bun.S3Client({
    endpoint,
    bucket,
    region,
    accessKeyId,
    secretAccessKey,
    virtualHostedStyle: false,
  });
  const ask = <T>(request: () => Promise<T>, bytes = 0) =>
    tried(options, () => inTime(options.clock, request(), requestMs + bytes / BYTES_PER_MS_MIN));

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

    // Page by page after the last name: what servers hand out to go on by is not the same everywhere.
    async *list(under) {
      for (let startAfter: string | undefined; ; ) {
        const query = {
          prefix: prefix + under,
          ...(startAfter === undefined ? {} : { startAfter }),
        };
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

async function tried<T>({ clock, random, ...settings }: BucketOptions, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      const code = codeOf(error);
      if (!PASSES.has(code) || attempt === TRIES_MAX) throw worded(settings, code);
      await clock.sleep(quickTryMs(attempt, random));
    }
  }
}

// The request itself cannot be taken back; whoever asks again asks for the same bytes under the same name.
async function inTime<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T> {
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

function worded({ endpoint, bucket }: BucketSettings, code: string): SysError {
  if (WRONG_KEYS.has(code))
    return new SysError("EAUTH", `the object store at ${endpoint} refuses these keys for ${bucket} (${code})`, [
      "gsv config set --system storage.s3.accessKeyId, and storage.s3.secretAccessKey; then gsv kernel stop",
    ]);
  if (code === "NoSuchBucket")
    return new SysError("ECONFIG", `there is no bucket ${bucket} at ${endpoint}`, [
      "make it, or name another: gsv config set --system storage.s3.bucket NAME",
    ]);
  if (PASSES.has(code))
    return new SysError("EAGAIN", `the object store at ${endpoint} cannot be reached (${code})`, [
      "see that it runs, then try again; gsv doctor storage looks too",
    ]);
  return new SysError("EIO", `the object store at ${endpoint} refused a request (${code.slice(0, 60)})`);
}
