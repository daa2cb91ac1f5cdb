// What can be mounted: nine verbs over paths that the Namespace has resolved, and one more for mounts that go to each name step by step.
// A mount never sees `..`, a symlink in the middle of a path or another mount's files; it throws SysError with errno codes and checks
// permissions with access.ts.

import type { Caller } from "../src/abi/identity.ts";
import type { Receipt } from "../src/objects/objects.ts";

declare const resolved: unique symbol;
/** Absolute within the mount, normalised, without links: only the Namespace makes one. */
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
  readonly contentType?: string;
}

export interface Entry {
  readonly name: string;
  readonly stat: Stat;
}

/** A directory that was walked to once. */
export interface Directory {
  readonly entries: readonly Entry[];
  read(name: string, options: ReadOptions): Promise<ReadResult>;
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
  /** Fails with EEXIST when there is one already. */
  readonly exclusive?: boolean;
  /** Fails with ECONFLICT when the content changed since. */
  readonly ifVersion?: string;
  readonly mode?: number;
  /** Stored with the change, where the mount outlives the kernel. */
  readonly receipt?: Receipt;
}

export interface RemoveOptions {
  readonly recursive: boolean;
  /** As for a write: stored with the last name that goes. */
  readonly receipt?: Receipt;
}

/** As for a write. */
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
  /** What stands on the way to a path and at its end, by its paths, as far as there is anything: asked once, where asking for one after the
   * other would cost the square of the depth. */
  along?(caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat>>;
  list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]>;
  read(caller: Caller, path: ResolvedPath, options: ReadOptions): Promise<ReadResult>;
  write(
    caller: Caller,
    path: ResolvedPath,
    bytes: Uint8Array,
    options: WriteOptions,
  ): Promise<{ readonly version: string }>;
  remove(caller: Caller, path: ResolvedPath, options: RemoveOptions): Promise<void>;
  rename(caller: Caller, from: ResolvedPath, to: ResolvedPath, options?: Receipted): Promise<void>;
  /** One directory; the Namespace makes missing parents one by one. */
  mkdir(caller: Caller, path: ResolvedPath, options: Receipted & { readonly mode?: number }): Promise<void>;
  link(caller: Caller, path: ResolvedPath, target: string, options?: Receipted): Promise<void>;
  setattr(caller: Caller, path: ResolvedPath, attributes: Attributes): Promise<void>;
}

export interface Mount {
  readonly at: string;
  readonly fs: FileSystem;
  /** Nothing there can be changed, whatever its modes say. */
  readonly readOnly?: true;
  /** A part of a filesystem that sees its paths whole, mounted again in its own place. */
  readonly whole?: true;
}

/** Where a walk ended: the path without links, the mount it is in, and what stands there. */
export interface Place {
  readonly path: string;
  readonly mount: Mount;
  readonly inner: ResolvedPath;
  readonly stat: Stat | null;
  /** Nothing stands there, and only a directory may come to. */
  readonly forDirectory?: true;
}
