// Files as command-line programs use them: entries with owner and mode, bytes in pieces, and changes of names. Modes are octal text, as
// people write them.

import type { Caller } from "../../abi/identity.ts";
import type { CallContext } from "../define.ts";

export interface FileEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "symlink";
  /** Four octal digits. */
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  /** The name, or the number if it has no name. */
  readonly owner: string;
  readonly group: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Target of a link. */
  readonly target?: string;
}

export interface FileStat extends FileEntry {
  /** Without links, except for the last name if it was not followed. */
  readonly path: string;
  /** Changes with every change of the content. */
  readonly version: string;
  readonly contentType?: string;
}

export interface EntryPage {
  readonly path: string;
  /** Sorted by name. */
  readonly entries: readonly FileEntry[];
  /** The last name, to continue after; null at the end. */
  readonly next: string | null;
}

/** Bytes in base64. */
export interface Piece {
  readonly data: string;
  readonly eof: boolean;
  /** Pieces of one version belong together. */
  readonly version: string;
}

export interface PutRequest {
  readonly path: string;
  /** The content, or the upload that holds it. */
  readonly data?: string;
  readonly upload?: string;
  readonly at: "start" | "end";
  readonly exclusive: boolean;
  readonly ifVersion?: string;
  readonly mode?: string;
}

export interface AttributeChange {
  readonly path: string;
  readonly mode?: string;
  /** A name or a number. */
  readonly owner?: string;
  readonly group?: string;
  readonly mtimeMs?: number;
}

/** The path that was changed. */
export interface Done {
  readonly path: string;
}

export interface FileTree {
  stat(caller: Caller, request: { readonly path: string; readonly follow: boolean }): Promise<FileStat>;
  list(
    caller: Caller,
    request: { readonly path: string; readonly after?: string; readonly limit: number },
  ): Promise<EntryPage>;
  get(
    caller: Caller,
    request: { readonly path: string; readonly offset: number; readonly bytes: number },
  ): Promise<Piece>;
  /** Stores a piece of an upload until `put`. Sending a piece twice is harmless. */
  stage(
    caller: Caller,
    request: { readonly upload: string; readonly offset: number; readonly data: string },
  ): Promise<{ readonly size: number }>;
  put(context: CallContext, request: PutRequest): Promise<Done & { readonly size: number }>;
  mkdir(
    context: CallContext,
    request: { readonly path: string; readonly parents: boolean; readonly mode?: string },
  ): Promise<Done>;
  rename(
    context: CallContext,
    request: { readonly from: string; readonly to: string; readonly exclusive: boolean },
  ): Promise<{ readonly from: string; readonly to: string }>;
  link(
    context: CallContext,
    request: { readonly path: string; readonly target: string },
  ): Promise<Done & { readonly target: string }>;
  setattr(context: CallContext, request: AttributeChange): Promise<Done>;
  remove(context: CallContext, request: { readonly path: string; readonly recursive: boolean }): Promise<Done>;
}
