// The content of objects during a backup, stored by checksum so that equal content is kept once. Stored content is never changed in place, so a
// hard link is as good as a copy.

import { constants } from "node:fs";
import { copyFile, link, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../lib/directories.ts";
import { kindAt, makeParents, sha256Of } from "../objects/host.ts";
import { checkKey } from "../objects/keys.ts";
import type { ContentRef } from "../objects/objects.ts";
import { refused } from "./tar.ts";

/** Puts the present content at a path; false if there is none. */
export type Take = (wanted: ContentRef, path: string) => Promise<boolean>;

export function takeFrom(objectsDir: string): Take {
  return ({ key }, path) => hold(join(objectsDir, key), path);
}

/** Takes missing content. Returns the keys whose content does not match their row. */
export async function takeBytes(
  wanted: readonly ContentRef[],
  { take, into, have }: { readonly take: Take; readonly into: string; readonly have: Set<string> },
): Promise<string[]> {
  const missing = wanted.filter(({ sha256 }) => !have.has(sha256));
  const taken: { readonly path: string; readonly sha256: string; readonly key: string }[] = [];
  const lost: string[] = [];
  // Link all before reading the first: replaced content then stays under its second name.
  for (const [index, { key, sha256 }] of missing.entries()) {
    const path = join(into, `taken-${index}`);
    await rm(path, { force: true });
    if (await take({ key, sha256 }, path)) taken.push({ path, sha256, key });
    else lost.push(key);
  }
  for (const { path, sha256, key } of taken) {
    if ((await sha256Of(path)) === sha256) {
      await rename(path, join(into, sha256));
      have.add(sha256);
    } else {
      await rm(path, { force: true });
      if (!have.has(sha256)) lost.push(key);
    }
  }
  return lost;
}

/** Puts content where its row says. The keys are untrusted. */
export async function placeBytes(wanted: readonly ContentRef[], from: string, objectsDir: string): Promise<void> {
  const directories = new Set<string>([objectsDir]);
  for (const { key, sha256 } of wanted) {
    checkKey(key);
    const source = join(from, sha256);
    if ((await kindAt(source)) === null) continue;
    const target = join(objectsDir, key);
    await makeParents(objectsDir, key);
    if (!(await hold(source, target))) throw refused(`the file ${JSON.stringify(key).slice(0, 80)} has no place`);
    directories.add(dirname(target));
  }
  for (const directory of directories) await syncDirectory(directory);
}

async function hold(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR" || code === "EEXIST") return false;
  }
  // Another disk, or one without hard links.
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return false;
    throw error;
  }
}
