// Wraps a filesystem and reports completed changes of files: who, which, and the new version. Listeners cannot prevent a change.

import type { Caller } from "../../src/abi/identity.ts";
import type { FileSystem, ResolvedPath } from "../filesystem.ts";

/** The path has no symlinks. */
export interface RecordedChange {
  readonly verb: "write" | "remove" | "move";
  readonly path: string;
  /** New version; null for removed files and directories. */
  readonly version: string | null;
  readonly movedFrom: string | null;
}

export type ChangeListener = (caller: Caller, change: RecordedChange) => Promise<void>;

/** `at`: prefix for paths, if the filesystem gets paths below its mount point. */
export function recordedFs(fs: FileSystem, noted: ChangeListener, at = ""): FileSystem {
  const named = (path: ResolvedPath) => at + path;
  const largeWrites =
    (write: NonNullable<FileSystem["writeLarge"]>): NonNullable<FileSystem["writeLarge"]> =>
    async (caller, path, content, options) => {
      const written = await write(caller, path, content, options);
      await noted(caller, { verb: "write", path: named(path), version: written.version, movedFrom: null });
      return written;
    };
  return {
    stat: (caller, path) => fs.stat(caller, path),
    ...(fs.along === undefined ? {} : { along: fs.along.bind(fs) }),
    list: (caller, path) => fs.list(caller, path),
    read: (caller, path, options) => fs.read(caller, path, options),
    mkdir: (caller, path, options) => fs.mkdir(caller, path, options),
    link: (caller, path, target, options) => fs.link(caller, path, target, options),
    setattr: (caller, path, attributes) => fs.setattr(caller, path, attributes),
    async write(caller, path, bytes, options) {
      const written = await fs.write(caller, path, bytes, options);
      await noted(caller, { verb: "write", path: named(path), version: written.version, movedFrom: null });
      return written;
    },
    ...(fs.writeLarge !== undefined && { writeLarge: largeWrites(fs.writeLarge.bind(fs)) }),
    async remove(caller, path, options) {
      await fs.remove(caller, path, options);
      await noted(caller, { verb: "remove", path: named(path), version: null, movedFrom: null });
    },
    async rename(caller, from, to, options) {
      await fs.rename(caller, from, to, options);
      const moved = await fs.stat(caller, to).catch(() => null);
      const version = moved?.kind === "file" ? moved.version : null;
      await noted(caller, { verb: "remove", path: named(from), version: null, movedFrom: null });
      await noted(caller, { verb: "move", path: named(to), version, movedFrom: named(from) });
    },
  };
}
