// fs.*: bytes of any kind, in pieces that fit one answer. Content of several pieces is staged first and written at once, so readers see the
// old content or the new one. Staged content that is never written is dropped.

import { LIMITS } from "../../abi/config/limits.ts";
import { field, syscall } from "../define.ts";
import type { FileTree, Piece } from "./file-tree-service.ts";

/** Size of one piece; its base64 fits a frame. */
export const PIECE_BYTES_MAX = 512 * 1024;
export const PIECE_CHARS_MAX = Math.ceil(PIECE_BYTES_MAX / 3) * 4;

const path = field.path("the file", { positional: true, meta: "PATH" });
const upload = (doc: string) => field.uuid(doc, { meta: "UPLOAD" });

export const fsBytesCalls = [
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
    cli: {
      hidden: true,
      examples: ["gsv cat '~/picture.png' > picture.png"],
      print: { kind: "value", text: ({ data }: Piece) => data },
    },
    run: ({ tree }: { tree: FileTree }, args, { caller }) => tree.get(caller, args),
  }),

  syscall({
    name: "fs.stage",
    summary: "Upload a piece of content for fs.put",
    class: "keyed",
    input: {
      upload: upload("upload id of your own"),
      offset: field.int("offset of the piece; pieces come in order", { max: LIMITS.fileBytesMax }),
      data: field.text("bytes in base64", { longest: PIECE_CHARS_MAX }),
    },
    cli: {
      hidden: true,
      examples: ["gsv cp host:./film.mp4 '~/film.mp4'"],
      print: { kind: "value", text: ({ size }: { size: number }) => `${size} bytes so far` },
    },
    run: ({ tree }: { tree: FileTree }, args, { caller }) => tree.stage(caller, args),
  }),

  syscall({
    name: "fs.put",
    summary: "Write bytes to a file",
    class: "keyed",
    once: "answer",
    input: {
      path,
      data: field.optional(field.text("bytes in base64", { longest: PIECE_CHARS_MAX })),
      upload: field.optional(upload("id of staged content")),
      at: field.withDefault(field.choice("start replaces the content, end appends", ["start", "end"]), "start"),
      exclusive: field.flag("fail if the file exists"),
      ifVersion: field.optional(field.text("fail if the file has another version", { longest: 200 })),
      mode: field.optional(field.text("permissions of a new file in octal", { longest: 5, meta: "MODE" })),
    },
    cli: {
      hidden: true,
      examples: ["gsv cp host:./a.txt '~/a.txt'"],
      print: {
        kind: "value",
        text: (result: { path: string; size: number }) => `wrote ${result.size} bytes to ${result.path}`,
      },
    },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.put(context, { ...args, exclusive: args.exclusive === true }),
  }),
] as const;
