// gsv's files as the shell's programs use them, over the syscalls of the caller.

import { join } from "../../fs/path.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Entry, Files, Stat } from "../../src/shell/programs/program.ts";
import type { FileEntry, Piece } from "../../src/syscalls/fs/fs-tree.ts";
import { entriesOf, statOf } from "./entries.ts";

export function gsvFiles(sys: Sys): Files {
  return {
    stat: async (path) => statFrom(await statOf(sys, path, { link: false }), path),
    lstat: async (path) => statFrom(await statOf(sys, path, { link: true }), path),
    list: async (path) =>
      (await entriesOf(sys, path)).map((entry): Entry => {
        return { name: entry.name, stat: statFrom(entry, join(path, entry.name)) };
      }),
    async read(path, offset) {
      const { data, eof, version } = await sys.call<Piece>("fs.get", { path, offset });
      return { bytes: Buffer.from(data, "base64"), eof, version };
    },
    write: async (path, bytes) => void (await sys.call("fs.put", { path, data: base64(bytes) })),
    append: async (path, bytes) => void (await sys.call("fs.put", { path, data: base64(bytes), at: "end" })),
    remove: async (path) => void (await sys.call("fs.remove", { path })),
    link: async (path, target) => void (await sys.call("fs.link", { path, target })),
    resolve: async (path) => (await statOf(sys, path, { link: false })).path,
    mkdir: async (path, parents) => void (await sys.call("fs.mkdir", { path, parents })),
    async setattr(path, { mode, uid, gid, mtimeMs }) {
      await sys.call("fs.setattr", {
        path,
        ...(mode === undefined ? {} : { mode: mode.toString(8).padStart(4, "0") }),
        ...(uid === undefined ? {} : { owner: String(uid) }),
        ...(gid === undefined ? {} : { group: String(gid) }),
        ...(mtimeMs === undefined ? {} : { mtimeMs }),
      });
    },
  };
}

function statFrom(facts: FileEntry, place: string): Stat {
  const { kind, mode, uid, gid, size, mtimeMs, target } = facts;
  const link = target === undefined ? {} : { target };
  return { kind, mode: Number.parseInt(mode, 8), uid, gid, size, mtimeMs, place, ...link, facts };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
