// What things are called in a bucket. Bytes lie under their checksum, so that a name never changes its content; beside them one small
// object for each key says in JSON what it is. Only letters that every server and every disk behind one takes.

import { sha256Hex } from "../lib/hash.ts";
import type { ObjectMeta } from "./objects.ts";

const BYTES = "bytes/";
const SIDECARS = "meta/";
/** Says whose all of this is. */
export const CLAIM = "home.json";
/** Keys whose name would be too long for some server. */
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

/** Null where only the sidecar itself can say. */
export function keyNamed(name: string): string | null {
  if (name.startsWith(LONG) || !name.endsWith(".json")) return null;
  const plain = name.slice(SIDECARS.length, -".json".length);
  return plain.replace(/(?:=[0-9a-f]{2})+/g, (letters) =>
    Buffer.from(letters.replaceAll("=", ""), "hex").toString("utf8"),
  );
}

/** One text for one object, so that two can be compared. */
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
