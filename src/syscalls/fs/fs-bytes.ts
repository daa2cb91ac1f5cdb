// fs.*: bytes of any kind, in pieces that fit one answer. A content of several pieces is staged first and put at once, so whoever
// reads sees the old content or the new one; what was staged and never put is forgotten.

import { LIMITS } from "../../abi/config/limits.ts";
import { field, syscall } from "../define.ts";
import type { FileTree, Piece } from "./file-tree-service.ts";

/** Of one piece; as base64 it fits a frame with room around it. */
export const PIECE_BYTES_MAX = 512 * 1024;
export const PIECE_CHARS_MAX = Math.ceil(PIECE_BYTES_MAX / 3) * 4;

const path = field.path("the file", { positional: true, meta: "PATH" });
const upload = (doc: string) => field.uuid(doc, { meta: "UPLOAD" });

export const fsBytesCalls = [
  syscall({
    name: "fs.get",
    summary: "Read bytes of a file, as base64",
    class: "read",
    input: {
      path,
      // What another program keeps in a directory of this machine may be of any size.
      offset: field.withDefault(field.int("the first byte, counted from 0"), 0),
      bytes: field.withDefault(field.int("at most so many", { min: 1, max: PIECE_BYTES_MAX }), PIECE_BYTES_MAX),
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
    summary: "Leave a piece of a content with the kernel until it is put",
    class: "keyed",
    input: {
      upload: upload("which content: an id of your own making"),
      offset: field.int("where the piece begins; pieces come in order", { max: LIMITS.fileBytesMax }),
      data: field.text("the bytes, as base64", { longest: PIECE_CHARS_MAX }),
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
    summary: "Write bytes to a file at once, given or staged",
    class: "keyed",
    once: "answer",
    input: {
      path,
      data: field.optional(field.text("the bytes, as base64", { longest: PIECE_CHARS_MAX })),
      upload: field.optional(upload("what was staged")),
      at: field.withDefault(field.choice("start replaces the content, end appends to it", ["start", "end"]), "start"),
      exclusive: field.flag("refuse when there is such a file"),
      ifVersion: field.optional(field.text("refuse when it is not this version any more", { longest: 200 })),
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
