// The interface of a mount: nine verbs over paths resolved by the Namespace, and an optional one for mounts that walk names themselves. A
// mount never gets `..`, an inner symlink or another mount's path. It throws SysError and checks permissions with access.ts.

import type { Caller } from "../src/abi/identity.ts";
import type { Receipt } from "../src/objects/objects.ts";

declare const resolved: unique symbol;
/** Absolute within the mount, normalized, without symlinks. Only the Namespace creates one. */
export type ResolvedPath = string & { readonly [resolved]: true };

export type FileKind = "file" | "directory" | "symlink";

export interface Stat {
  readonly kind: FileKind;
  readonly uid: number;
  readonly gid: number;
  /** Permission bits and setgid/sticky: 0o7777. */
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Changes with every change of the content. */
  readonly version: string;
  readonly target?: string; // where a symlink points
  /** Directory of the mount that this symlink must not lead out of. */
  readonly fence?: string;
  readonly contentType?: string;
}

/** A directory without an inode: a parent of mount points. */
export const BARE_DIRECTORY: Stat = {
  kind: "directory",
  uid: 0,
  gid: 0,
  mode: 0o755,
  size: 0,
  mtimeMs: 0,
  version: "0",
};

export interface Entry {
  readonly name: string;
  readonly stat: Stat;
}

/** A directory that need not be walked to again. */
export interface Directory {
  readonly entries: readonly Entry[];
  read(name: string, options: ReadOptions): Promise<ReadResult>;
  /** Throws what a read of a file in `entries` would throw because of modes. */
  needReadable(name: string): void;
}

export interface ReadOptions {
  readonly offset?: number;
  readonly bytesMax: number;
}

export interface ReadResult {
  readonly bytes: Uint8Array;
  readonly eof: boolean;
  readonly version: string;
}

export interface WriteOptions {
  /** start replaces the content, end appends. */
  readonly at: "start" | "end";
  /** EEXIST if the file exists. */
  readonly exclusive?: boolean;
  /** ECONFLICT if the content has changed. */
  readonly ifVersion?: string;
  readonly mode?: number;
  /** Stored with the change, if the mount outlives the kernel. */
  readonly receipt?: Receipt;
}

/** Content that is too large for memory. */
export interface LargeContent {
  readonly size: number;
  pieces(): AsyncIterable<Uint8Array>;
}

export interface RemoveOptions {
  readonly recursive: boolean;
  /** Stored with the removal of the last name. */
  readonly receipt?: Receipt;
}

export interface Receipted {
  readonly receipt?: Receipt;
}

export interface Attributes {
  readonly uid?: number;
  readonly gid?: number;
  readonly mode?: number;
  readonly mtimeMs?: number;
}

export interface FileSystem {
  stat(caller: Caller, path: ResolvedPath): Promise<Stat>;
  /** Stats of the names along a path, in one call: one call per name would cost the square of the depth. null: nothing stands there. */
  along?(caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat | null>>;
  list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]>;
  read(caller: Caller, path: ResolvedPath, options: ReadOptions): Promise<ReadResult>;
  write(
    caller: Caller,
    path: ResolvedPath,
    bytes: Uint8Array,
    options: WriteOptions,
  ): Promise<{ readonly version: string }>;
  /** Replaces the content. Missing in mounts that take no more than `write` does. */
  writeLarge?(
    caller: Caller,
    path: ResolvedPath,
    content: LargeContent,
    options: WriteOptions & { readonly at: "start" },
  ): Promise<{ readonly version: string }>;
  remove(caller: Caller, path: ResolvedPath, options: RemoveOptions): Promise<void>;
  rename(caller: Caller, from: ResolvedPath, to: ResolvedPath, options?: Receipted): Promise<void>;
  /** One directory; the Namespace creates missing parents. */
  mkdir(caller: Caller, path: ResolvedPath, options: Receipted & { readonly mode?: number }): Promise<void>;
  link(caller: Caller, path: ResolvedPath, target: string, options?: Receipted): Promise<void>;
  setattr(caller: Caller, path: ResolvedPath, attributes: Attributes): Promise<void>;
}

export interface Mount {
  readonly at: string;
  readonly fs: FileSystem;
  /** Whatever the modes say. */
  readonly readOnly?: true;
  /** The filesystem gets full paths, not paths below the mount point. */
  readonly whole?: true;
}

/** Result of a walk: the path without symlinks, its mount, and what exists there. */
export interface Place {
  readonly path: string;
  readonly mount: Mount;
  readonly inner: ResolvedPath;
  readonly stat: Stat | null;
  /** Nothing exists there, and the path ends with a slash. */
  readonly forDirectory?: true;
  /** The directory, if nothing exists there. */
  readonly above?: Stat;
}
