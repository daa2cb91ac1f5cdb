// Bytes in a bucket, without their rows, for checks, garbage collection and moves. Empty objects are never stored or requested: some
// servers never answer such a request.

import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Bucket } from "./bucket.ts";
import type { Bytes, ObjectMeta, StoredItem } from "./objects.ts";
import { bytesName, CLAIM, FAMILIES, keyNamed, metaIn, sha256Named, sidecarName, sidecarOf } from "./s3-names.ts";
import { spooled } from "./spool.ts";

const PIECE_BYTES = 1024 * 1024;
export const EMPTY_SHA256 = sha256Hex("");

export interface BucketBytes {
  /** Created at the first request, so that a corrected key works without a restart. */
  readonly bucket: () => Promise<Bucket>;
  readonly place: string;
  /** Directory for partial files. */
  readonly temporaries: string;
}

export function s3Bytes({ bucket, place, temporaries }: BucketBytes): Bytes {
  return {
    driver: "s3",
    place,
    probe: async () => (await bucket()).probe(),

    // Two homes with one prefix would delete each other's bytes.
    async claim(home) {
      const store = await bucket();
      const mine = JSON.stringify({ version: 1, home });
      const there = await store.get(CLAIM);
      if (there === null) return store.put(CLAIM, Buffer.from(mine));
      if (Buffer.from(there).toString("utf8") === mine) return;
      throw new SysError("EEXIST", `${place} belongs to another home`, [
        "use another prefix: gsv config set --system storage.s3.prefix NAME/ --user root",
        `or, if it is unused, delete everything in it, ${CLAIM} included`,
      ]);
    },

    async read({ key, sha256 }, range) {
      if (sha256 === EMPTY_SHA256) return new Uint8Array();
      const bytes = await (await bucket()).get(bytesName(sha256), range);
      if (bytes === null) throw new Error(`the content of ${key} is missing from ${place}`);
      return bytes;
    },

    async has({ sha256 }) {
      if (sha256 === EMPTY_SHA256) return true;
      return (await (await bucket()).get(bytesName(sha256), { offset: 0, bytesMax: 1 })) !== null;
    },

    async sha256({ sha256 }) {
      if (sha256 === EMPTY_SHA256) return EMPTY_SHA256;
      const store = await bucket();
      const hash = new Bun.CryptoHasher("sha256");
      for (let offset = 0; ; ) {
        const bytes = await store.get(bytesName(sha256), { offset, bytesMax: PIECE_BYTES });
        if (bytes === null) return null;
        hash.update(bytes);
        offset += bytes.byteLength;
        if (bytes.byteLength < PIECE_BYTES) return hash.digest("hex");
      }
    },

    async *list() {
      const store = await bucket();
      for await (const found of store.list(FAMILIES.bytes)) {
        const sha256 = sha256Named(found.name);
        if (sha256 !== null) yield { ...found, kind: "bytes", sha256 };
      }
      for await (const found of store.list(FAMILIES.sidecars)) yield await sidecarItem(store, found);
    },

    async *recorded() {
      const store = await bucket();
      for await (const { name } of store.list(FAMILIES.sidecars)) {
        const meta = metaIn(await store.get(name));
        yield { name, meta: meta !== null && sidecarName(meta.key) === name ? meta : null };
      }
    },

    async isUnchanged({ name }) {
      return (await (await bucket()).get(name, { offset: 0, bytesMax: 1 })) !== null;
    },

    async discard({ name }) {
      await (await bucket()).remove(name);
    },

    async adopt(meta, bytes) {
      const store = await bucket();
      if (bytes !== null && meta.size > 0)
        await spooled(bytes, join(temporaries, `adopt-${meta.sha256}`), async ({ body, sha256 }) => {
          if (sha256 === meta.sha256) await store.put(bytesName(sha256), body);
        });
      await putSidecar(store, meta);
    },
  };
}

export async function putSidecar(store: Bucket, meta: ObjectMeta): Promise<void> {
  await store.put(sidecarName(meta.key), Buffer.from(sidecarOf(meta)));
}

export async function sidecarText(store: Bucket, key: string): Promise<string | null> {
  const bytes = await store.get(sidecarName(key));
  return bytes === null ? null : Buffer.from(bytes).toString("utf8");
}

async function sidecarItem(store: Bucket, found: Omit<StoredItem, "kind">): Promise<StoredItem> {
  const key = keyNamed(found.name) ?? keyIn(await store.get(found.name));
  return { ...found, kind: "sidecar", ...(key === null ? {} : { key }) };
}

function keyIn(bytes: Uint8Array | null): string | null {
  try {
    const { key } = JSON.parse(Buffer.from(bytes ?? []).toString("utf8")) as { key?: unknown };
    return typeof key === "string" ? key : null;
  } catch {
    return null;
  }
}
