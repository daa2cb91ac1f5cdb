// Names in a bucket. Bytes are stored under their checksum, so the content of a name never changes; beside them one small JSON object
// per key (sidecar) holds its metadata. Only characters that every server and every disk accepts.

import { sha256Hex } from "../lib/hash.ts";
import { checkKey } from "./keys.ts";
import type { ObjectMeta } from "./objects.ts";

const BYTES = "bytes/";
const SIDECARS = "meta/";
/** Names the owning home. */
export const CLAIM = "home.json";
/** Directory for keys that some servers would refuse as too long. */
const LONG = `${SIDECARS}=long/`;
const NAME_MAX = 800;
const SEGMENT_MAX = 200;

export const FAMILIES = { bytes: BYTES, sidecars: SIDECARS } as const;

export function bytesName(sha256: string): string {
  return `${BYTES}${sha256.slice(0, 2)}/${sha256}`;
}

export function sha256Named(name: string): string | null {
  return /^bytes\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1] ?? null;
}

export function sidecarName(key: string): string {
  const plain = key.replace(/[^A-Za-z0-9._/-]/gu, (letter) =>
    [...Buffer.from(letter)].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join(""),
  );
  const isLong = plain.length > NAME_MAX || plain.split("/").some((segment) => segment.length > SEGMENT_MAX);
  return isLong ? `${LONG}${sha256Hex(key)}.json` : `${SIDECARS}${plain}.json`;
}

/** Null if only the sidecar's content tells the key. */
export function keyNamed(name: string): string | null {
  if (name.startsWith(LONG) || !name.endsWith(".json")) return null;
  const plain = name.slice(SIDECARS.length, -".json".length);
  return plain.replace(/(?:=[0-9a-f]{2})+/g, (letters) =>
    Buffer.from(letters.replaceAll("=", ""), "hex").toString("utf8"),
  );
}

/** Canonical JSON, so that two can be compared. */
export function sidecarOf({
  key,
  uid,
  gid,
  mode,
  type,
  size,
  sha256,
  mtimeMs,
  dirmarker,
  symlink,
}: ObjectMeta): string {
  const version = 1;
  return JSON.stringify({ version, key, uid, gid, mode, type, size, sha256, mtimeMs, dirmarker, symlink });
}

/** Null if the text is no sidecar: canonical JSON, so what it says must be written the same. */
export function metaIn(bytes: Uint8Array | null): ObjectMeta | null {
  const text = Buffer.from(bytes ?? []).toString("utf8");
  try {
    const meta = JSON.parse(text) as ObjectMeta;
    checkKey(meta.key);
    return sidecarOf(meta) === text && isMeta(meta) ? meta : null;
  } catch {
    return null;
  }
}

function isMeta({ uid, gid, mode, type, size, sha256, mtimeMs, dirmarker, symlink }: ObjectMeta): boolean {
  const counts = [uid, gid, mode, size].every((each) => Number.isSafeInteger(each) && each >= 0);
  const isText = typeof type === "string" && /^[0-9a-f]{64}$/.test(sha256);
  const isKnownKind = typeof dirmarker === "boolean" && (symlink === null || typeof symlink === "string");
  return counts && isText && isKnownKind && Number.isFinite(mtimeMs);
}
