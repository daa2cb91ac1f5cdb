// Valid keys. A key becomes a path on the host, so it must not climb, hide, or collide with the driver's own names.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";

/** The driver's directory for partial files. */
export const TEMPORARIES = ".tmp";

export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > LIMITS.pathBytesMax) {
    throw new SysError("ENAMETOOLONG", `the key ${key.slice(0, 60)}… is longer than ${LIMITS.pathBytesMax} bytes`);
  }
  if (key.includes("\u0000") || !key.isWellFormed()) throw bad(key, "contains invalid characters");
  // Some hosts ignore case.
  if (key.toLowerCase().startsWith(TEMPORARIES)) throw bad(key, `starts with ${TEMPORARIES}, which is reserved`);
  for (const segment of key.split("/")) {
    if (segment === "" || segment === "." || segment === "..") throw bad(key, "has an empty, . or .. part");
    if (Buffer.byteLength(segment) > LIMITS.nameBytesMax) {
      throw new SysError(
        "ENAMETOOLONG",
        `the name ${segment.slice(0, 60)}… is longer than ${LIMITS.nameBytesMax} bytes`,
      );
    }
  }
}

/** `a/b/c` → `a`, `a/b`. */
export function parentsOf(key: string): string[] {
  const parents: string[] = [];
  for (let at = key.indexOf("/"); at !== -1; at = key.indexOf("/", at + 1)) parents.push(key.slice(0, at));
  return parents;
}

/** Group of a key, for display. */
export function familyOf(key: string): string {
  return FAMILIES.find(([prefix]) => key.startsWith(prefix))?.[1] ?? "system";
}

const FAMILIES: readonly (readonly [prefix: string, family: string])[] = [
  ["home/", "homes"],
  ["root/", "homes"],
  ["var/sessions/", "archives"],
  ["agents/", "agents"],
  ["var/media/", "media"],
  ["runtime/package-artifacts/", "packages"],
  ["process-source-overlays/", "overlays"],
  ["public/", "public"],
];

const MEDIA = /^var\/media\/([0-9]+)\/([^/]+)\/([^/]+)$/;

/** Owner, pid and file name of a process's media; null for other keys. */
export function mediaNamed(key: string): { readonly uid: number; readonly pid: string; readonly name: string } | null {
  const [, uid, pid, name] = MEDIA.exec(key) ?? [];
  return uid === undefined || pid === undefined || name === undefined ? null : { uid: Number(uid), pid, name };
}

export function mediaPrefix(uid: number, pid: string): string {
  return `var/media/${uid}/${pid}/`;
}

function bad(key: string, why: string): SysError {
  return new SysError("EINVAL", `the key ${JSON.stringify(key.slice(0, 80).toWellFormed())} ${why}`);
}

/** False if there is nothing to rename. Throws for invalid keys and for a move of a directory into itself. */
export function isRealRename(from: string, to: string): boolean {
  checkKey(from);
  checkKey(to);
  if (to.startsWith(`${from}/`)) throw new SysError("EINVAL", `cannot move ${from} into itself`);
  return from !== to;
}
