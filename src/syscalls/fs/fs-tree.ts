// fs.*: files and directories by name, and their bytes in pieces that fit one answer. Modes are octal text, as people write them. Content of
// several pieces is staged first and written at once, so readers see the old content or the new one.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Caller } from "../../abi/identity.ts";
import { type CallContext, field, syscall } from "../define.ts";

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

interface PutRequest {
  readonly path: string;
  /** The content, or the upload that holds it. */
  readonly data?: string;
  readonly upload?: string;
  readonly at: "start" | "end";
  readonly exclusive: boolean;
  readonly ifVersion?: string;
  readonly mode?: string;
}

interface AttributeChange {
  readonly path: string;
  readonly mode?: string;
  /** A name or a number. */
  readonly owner?: string;
  readonly group?: string;
  readonly mtimeMs?: number;
}

interface Done {
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
    request: {
      readonly upload: string;
      readonly offset: number;
      readonly data: string;
      readonly discard?: boolean | undefined;
    },
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

/** Size of one piece; its base64 fits a frame. */
export const PIECE_BYTES_MAX = 512 * 1024;
export const PIECE_CHARS_MAX = Math.ceil(PIECE_BYTES_MAX / 3) * 4;

const upload = (doc: string) => field.uuid(doc, { meta: "UPLOAD" });

const path = field.path("the file or directory", { positional: true, meta: "PATH" });
const mode = field.optional(field.text("permissions in octal, such as 0640", { longest: 5, meta: "MODE" }));

export const fsTreeCalls = [
  syscall({
    name: "fs.stat",
    summary: "Show kind, owner, mode, size and version",
    class: "read",
    input: { path, link: field.flag("the link itself, not its target") },
    run: ({ tree }: { tree: FileTree }, { path: of, link }, { caller }) =>
      tree.stat(caller, { path: of, follow: link !== true }),
  }),

  syscall({
    name: "fs.list",
    summary: "List a directory in pages, with details",
    class: "read",
    input: {
      path,
      after: field.optional(field.text("name to continue after", { longest: LIMITS.nameBytesMax })),
      limit: field.withDefault(
        field.int("maximum number of entries", { min: 1, max: LIMITS.entriesPageMax }),
        LIMITS.entriesPageMax,
      ),
    },
    run: ({ tree }: { tree: FileTree }, args, { caller }) => tree.list(caller, args),
  }),

  syscall({
    name: "fs.mkdir",
    summary: "Make a directory",
    class: "keyed",
    input: { path, parents: field.flag("create missing parents; accept an existing directory"), mode },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.mkdir(context, { ...args, parents: args.parents === true }),
  }),

  syscall({
    name: "fs.rename",
    summary: "Rename a file or directory",
    class: "keyed",
    input: {
      from: field.path("current path", { positional: true, meta: "FROM" }),
      to: field.path("new path", { positional: true, meta: "TO" }),
      exclusive: field.flag("fail if the new path exists"),
    },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.rename(context, { ...args, exclusive: args.exclusive === true }),
  }),

  syscall({
    name: "fs.link",
    summary: "Create a symbolic link",
    class: "keyed",
    input: {
      path: field.path("path of the link", { positional: true, meta: "PATH" }),
      target: field.text("target, stored as written", {
        positional: true,
        shortest: 1,
        longest: LIMITS.pathBytesMax,
        meta: "TARGET",
      }),
    },
    run: ({ tree }: { tree: FileTree }, args, context) => tree.link(context, args),
  }),

  syscall({
    name: "fs.setattr",
    summary: "Change mode, owner, group or time of a file",
    class: "keyed",
    input: {
      path,
      mode,
      owner: field.optional(field.text("account name or number (root)", { longest: 64 })),
      group: field.optional(field.text("group name or number", { longest: 64 })),
      mtimeMs: field.optional(field.int("modification time, in ms since 1970")),
    },
    run: ({ tree }: { tree: FileTree }, args, context) => tree.setattr(context, args),
  }),

  syscall({
    name: "fs.remove",
    summary: "Remove a file or directory",
    class: "keyed",
    input: { path, recursive: field.flag("remove a directory with its content") },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.remove(context, { ...args, recursive: args.recursive === true }),
  }),

  syscall({
    name: "fs.get",
    summary: "Read bytes of a file in base64",
    class: "read",
    input: {
      path,
      // No maximum: a file of the host may have any size.
      offset: field.withDefault(field.int("offset in bytes"), 0),
      bytes: field.withDefault(field.int("maximum number of bytes", { min: 1, max: PIECE_BYTES_MAX }), PIECE_BYTES_MAX),
    },
    run: ({ tree }: { tree: FileTree }, args, { caller }) => tree.get(caller, args),
  }),

  syscall({
    name: "fs.stage",
    summary: "Upload a piece of content for fs.put",
    class: "keyed",
    once: "verb",
    input: {
      upload: upload("upload id of your own"),
      offset: field.int("offset of the piece; pieces come in order", { max: LIMITS.uploadBytesMax }),
      data: field.text("bytes in base64", { longest: PIECE_CHARS_MAX }),
      discard: field.flag("drop the upload instead"),
    },
    run: ({ tree }: { tree: FileTree }, args, { caller }) => tree.stage(caller, args),
  }),

  syscall({
    name: "fs.put",
    summary: "Write bytes to a file",
    class: "keyed",
    input: {
      path,
      data: field.optional(field.text("bytes in base64", { longest: PIECE_CHARS_MAX })),
      upload: field.optional(upload("id of staged content")),
      at: field.withDefault(field.choice("start replaces the content, end appends", ["start", "end"]), "start"),
      exclusive: field.flag("fail if the file exists"),
      ifVersion: field.optional(field.text("fail if the file has another version", { longest: 200 })),
      mode: field.optional(field.text("permissions of a new file in octal", { longest: 5, meta: "MODE" })),
    },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.put(context, { ...args, exclusive: args.exclusive === true }),
  }),
] as const;
