// Bytes on the local disk, without their rows, for checks, garbage collection and moves: at <directory>/<key>, partial files in
// <directory>/.tmp. Files that gsv did not create are neither followed nor read.

import { lstatSync } from "node:fs";
import { lstat, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { SysError } from "../abi/errno.ts";
import { syncDirectory } from "../lib/directories.ts";
import { sha256Hex } from "../lib/hash.ts";
import {
  checkParents,
  hostError,
  isHostCode,
  kindAt,
  makeDirectory,
  makeParents,
  openPlainFile,
  pruneParents,
  readRange,
  sha256Of,
  writeDurably,
} from "./host.ts";
import { checkKey, TEMPORARIES } from "./keys.ts";
import type { Bytes, StoredItem } from "./objects.ts";

export function diskBytes(directory: string): Bytes {
  return {
    driver: "disk",
    place: directory,

    async probe() {
      if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
        throw new SysError("EIO", `${directory} is not a directory`, ["move it away"]);
    },

    // The directory is in the home, so no other home uses it.
    claim: async () => {},

    async read({ key }, { offset, bytesMax }) {
      checkKey(key);
      await checkParents(directory, key);
      const handle = await openPlainFile(join(directory, key));
      try {
        return await readRange(handle, offset, bytesMax);
      } finally {
        await handle.close();
      }
    },

    has: async ({ key }) => (await kindAt(join(directory, key))) === "file",
    sha256: ({ key }) => sha256Of(join(directory, key)),
    list: () => below(directory, directory),
    // The rows have all metadata.
    async *recorded() {},

    async isUnchanged({ name, mtimeMs }) {
      return (await lstat(join(directory, name)).catch(() => null))?.mtimeMs === mtimeMs;
    },

    async discard({ name, kind, key = "" }) {
      if (kind === "bytes") await checkParents(directory, key);
      await unlink(join(directory, name));
      if (kind === "bytes") await pruneParents(directory, key);
    },

    async adopt({ key }, bytes) {
      if (bytes === null) return;
      checkKey(key);
      const temporary = join(directory, TEMPORARIES, sha256Hex(key));
      try {
        await makeDirectory(directory);
        await makeDirectory(dirname(temporary));
        await unlink(temporary).catch(() => undefined);
        await writeDurably(temporary, bytes);
        await makeParents(directory, key);
        await rename(temporary, join(directory, key));
        await syncDirectory(dirname(join(directory, key)));
      } catch (error) {
        await unlink(temporary).catch(() => undefined);
        throw hostError(error, `cannot store ${key}`);
      }
    },
  };
}

async function* below(root: string, directory: string): AsyncGenerator<StoredItem> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    // It may have been deleted meanwhile.
    if (isHostCode(error, "ENOENT") || isHostCode(error, "ENOTDIR")) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      yield* below(root, path);
      continue;
    }
    const stat = await lstat(path).catch(() => null);
    if (stat === null) continue;
    const name = relative(root, path);
    const isTemporary = name.startsWith(`${TEMPORARIES}/`);
    yield {
      ...{ name, size: stat.size, mtimeMs: stat.mtimeMs },
      ...(isTemporary ? { kind: "temporary" } : { kind: "bytes", key: name }),
    };
  }
}
