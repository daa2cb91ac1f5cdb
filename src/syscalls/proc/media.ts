// proc.media.*: images, sound and documents of a process, in pieces that fit one call. A reset or kill deletes them with the history.

import { LIMITS } from "../../abi/config/limits.ts";
import { sizeText } from "../../lib/text/size.ts";
import { field, syscall, value } from "../define.ts";
import { PIECE_CHARS_MAX } from "../fs/fs-tree.ts";
import type { Media, MediaInfo, MediaTaken } from "../system/storage.ts";

const pid = field.pid("the process", { positional: true, meta: "PID" });
const id = field.uuid("media id", { positional: true, meta: "ID" });

const columns = [
  { head: "ID", cell: (row: MediaInfo) => row.id },
  { head: "TYPE", cell: (row: MediaInfo) => row.type },
  { head: "SIZE", cell: (row: MediaInfo) => sizeText(row.bytes), align: "right" },
  { head: "AGE", since: (row: MediaInfo) => row.at, align: "right" },
  { head: "PATH", cell: (row: MediaInfo) => row.path, below: true },
] as const;

export const mediaCalls = [
  syscall({
    name: "proc.media.list",
    summary: "List the media of a process",
    class: "read",
    input: { pid, after: field.optional(field.text("cursor of the next page", { longest: 100, hide: "both" })) },
    cli: {
      hidden: true,
      examples: ["gsv media list init:1000"],
      print: {
        kind: "table",
        rows: (result: { media: readonly MediaInfo[] }) => result.media,
        empty: "(no media)",
        pages: { rows: "media", next: "next", argument: "after" },
        columns,
      },
    },
    run: ({ media }: { media: Media }, args, { caller }) => media.list(caller, args),
  }),

  syscall({
    name: "proc.media.put",
    summary: "Add a file to a process",
    class: "keyed",
    once: "verb",
    input: {
      pid,
      id: field.optional(field.uuid("upload id, the same for all pieces", { hide: "cli" })),
      offset: field.withDefault(field.int("offset of this piece", { max: LIMITS.mediaBytesMax, hide: "cli" }), 0),
      data: field.text("the piece in base64", { hide: "cli", longest: PIECE_CHARS_MAX }),
      more: field.flag("more pieces follow", { hide: "cli" }),
    },
    cli: {
      hidden: true,
      examples: ["gsv media put init:1000 photo.png", "gsv media put init:1000 < photo.png"],
      print: value((result: MediaTaken) => result.id),
    },
    run: ({ media }: { media: Media }, { more = false, ...piece }, context) => media.put(context, { ...piece, more }),
  }),

  syscall({
    name: "proc.media.get",
    summary: "Print a media file",
    class: "read",
    input: { pid, id, offset: field.withDefault(field.int("offset in bytes", { hide: "cli" }), 0) },
    cli: {
      hidden: true,
      examples: ["gsv media get init:1000 0190a1b2-… > photo.png"],
      print: value((result: { data: string }) => result.data),
    },
    run: ({ media }: { media: Media }, args, { caller }) => media.get(caller, args),
  }),

  syscall({
    name: "proc.media.rm",
    summary: "Delete a media file",
    class: "keyed",
    input: { pid, id },
    cli: {
      hidden: true,
      examples: ["gsv media rm init:1000 0190a1b2-…"],
      print: value((row: MediaInfo) => `removed ${row.path}`),
    },
    run: ({ media }: { media: Media }, args, context) => media.remove(context, args),
  }),
] as const;
