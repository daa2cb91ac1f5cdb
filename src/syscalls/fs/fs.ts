// fs.*: the five file tools, in the caller's namespace. Paths are absolute, relative to the caller's working directory, or begin with ~.

import { LIMITS } from "../../abi/config/limits.ts";
import { quoted } from "../../lib/text/quote.ts";
import { sizeText } from "../../lib/text/size.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import { field, syscall, value } from "../define.ts";
import deleteText from "../tools/delete.md" with { type: "text" };
import editText from "../tools/edit.md" with { type: "text" };
import readText from "../tools/read.md" with { type: "text" };
import searchText from "../tools/search.md" with { type: "text" };
import writeText from "../tools/write.md" with { type: "text" };
import { type EditedFile, FILE_TARGETS, type Files, type FileView, type Match } from "./files-service.ts";

const path = field.path("the file", { positional: true, meta: "PATH", of: "file" });
const target = field.withDefault(
  field.choice("gsv: the virtual machine; host: the person's computer", FILE_TARGETS, { hide: "cli" }),
  "gsv",
);

type FileOf<K> = Extract<FileView, { readonly kind: K }>;

/** Leaves room for the note about what is missing. */
const NUMBERED_BYTES_MAX = LIMITS.toolOutputBytesMax - 512;

// Models get line numbers; people and pipes get plain text. The note says where to continue.
function numbered(view: FileView): string {
  if (view.kind === "image") return imageText(view);
  if (view.kind === "directory") return withEnd(namesOf(view), missingOf(view));
  if (view.content === "" && !view.truncated) return "(empty)";
  const { firstLine, content } = view;
  const lines = content.split("\n").map((line, index) => `${String(firstLine + index).padStart(6)}\t${line}`);
  const count = fittingLines(lines);
  // A line that is too long for one answer is cut.
  if (count === 0) lines[0] = headAndTail(lines[0] ?? "", NUMBERED_BYTES_MAX).text;
  const shown = lines.slice(0, Math.max(1, count));
  const isWhole = shown.length === lines.length && count > 0;
  const cut = { ...view, truncated: true, content: content.split("\n").slice(0, shown.length).join("\n") };
  return withEnd(shown.join("\n"), missingOf(isWhole ? view : cut));
}

function withEnd(text: string, missing: ReturnType<typeof missingOf>): string {
  if (missing === null) return text;
  return `${text}\n(${missing.what}${missing.next === null ? "" : `; continue with offset ${missing.next}`})`;
}

function fittingLines(lines: readonly string[]): number {
  let bytes = 0;
  const over = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > NUMBERED_BYTES_MAX;
  });
  return over === -1 ? lines.length : over;
}

/** What the view leaves out, and the offset to continue at. */
function missingOf(view: FileView): { readonly what: string; readonly next: number | null } | null {
  if (view.kind === "image" || !view.truncated) return null;
  if (view.kind === "directory") return { what: "more names than fit are in this directory", next: null };
  const { firstLine, lines, content } = view;
  const last = firstLine + content.split("\n").length - 1;
  if (last >= lines) return { what: "long lines are cut", next: null };
  return { what: `lines ${firstLine} to ${last} of ${lines}`, next: last };
}

function cutText(view: FileView): string | null {
  const missing = missingOf(view);
  if (missing?.next == null) return missing?.what ?? null;
  return `${missing.what}; more: gsv fs read ${quoted(view.path)} --offset ${missing.next}`;
}

function plainText(view: FileView): string {
  if (view.kind === "image") return imageText(view);
  return view.kind === "file" ? view.content : namesOf(view);
}

function imageText({ path, type, size }: FileOf<"image">): string {
  return `${path}: ${type}, ${sizeText(size)}`;
}

function namesOf({ directories, files }: FileOf<"directory">): string {
  return [...directories.map((name) => `${name}/`), ...files].join("\n");
}

export const fsCalls = [
  syscall({
    name: "fs.read",
    summary: "Read a file, or list a directory",
    class: "read",
    input: {
      path: field.path("file or directory", { positional: true, meta: "PATH", of: "file" }),
      target,
      offset: field.optional(field.int("first line to read, counted from 0", { meta: "N" })),
      limit: field.optional(field.int("maximum number of lines", { min: 1, meta: "N" })),
      images: field.flag("return images as bytes", { hide: "both" }),
    },
    tool: {
      name: "Read",
      repeat: "read",
      description: readText,
      text: (view: FileView) => numbered(view),
      shows: {
        with: { images: true },
        image: (view: FileView) => (view.kind === "image" ? Buffer.from(view.data, "base64") : null),
      },
    },
    cli: {
      examples: ["gsv fs read '~/notes.md'", "gsv fs read /proc"],
      print: { kind: "value", text: (view: FileView) => plainText(view), cut: cutText },
    },
    run: ({ files }: { files: Files }, args, { caller }) => files.read(caller, args),
  }),

  syscall({
    name: "fs.write",
    summary: "Write a file",
    class: "keyed",
    input: {
      path,
      content: field.text("full content", {
        positional: true,
        stdin: true,
        meta: "CONTENT",
        longest: 16 * 1024 * 1024,
      }),
      target,
    },
    tool: { name: "Write", repeat: "effect", description: writeText },
    cli: {
      examples: [`gsv fs write '~/notes.md' "call the bank"`, "gsv fs write '~/report.txt' - < report.txt"],
      print: value((result: { path: string; size: number }) => `wrote ${result.size} bytes to ${result.path}`),
    },
    run: ({ files }: { files: Files }, args, context) => files.write(context, args),
  }),

  syscall({
    name: "fs.edit",
    summary: "Replace text in a file",
    class: "keyed",
    input: {
      path,
      oldString: field.text("exact text to replace", { flag: "old", meta: "TEXT" }),
      newString: field.text("replacement", { flag: "new", meta: "TEXT" }),
      replaceAll: field.flag("replace every occurrence", { flag: "all" }),
      target,
    },
    tool: { name: "Edit", repeat: "effect", description: editText },
    cli: { examples: ["gsv fs edit '~/notes.md' --old draft --new final"], print: value(editedText) },
    run: ({ files }: { files: Files }, args, context) =>
      files.edit(context, { ...args, replaceAll: args.replaceAll === true }),
  }),

  syscall({
    name: "fs.delete",
    summary: "Delete a file or an empty directory",
    class: "keyed",
    input: { path, target },
    tool: { name: "Delete", repeat: "effect", description: deleteText },
    cli: {
      examples: ["gsv fs delete '~/notes.md'"],
      print: value((result: { path: string }) => `deleted ${result.path}`),
    },
    run: ({ files }: { files: Files }, args, context) => files.remove(context, args),
  }),

  syscall({
    name: "fs.search",
    summary: "Search file contents",
    class: "read",
    input: {
      query: field.text("text to find", { positional: true, meta: "TEXT", longest: 1024 }),
      path: field.optional(
        field.path("path to search (default: current directory)", { positional: true, meta: "PATH", of: "file" }),
      ),
      include: field.optional(field.text("only file names that match this glob", { longest: 256, meta: "GLOB" })),
      target,
    },
    tool: { name: "Search", repeat: "read", description: searchText },
    cli: {
      examples: [`gsv fs search "deadline" '~' --include "*.md"`],
      print: {
        kind: "list",
        rows: (result: { matches: readonly Match[]; truncated: boolean }) => result.matches,
        line: (match: Match) => `${match.path}:${match.line}:${match.content}`,
        empty: "(no matches)",
        note: (result: { matches: readonly Match[]; truncated: boolean }) =>
          result.truncated ? "more matches exist: narrow the path or the text" : null,
      },
    },
    run: ({ files }: { files: Files }, args, { caller, signal }) => files.search(caller, args, signal),
  }),
] as const;

function editedText({ path, replacements, line }: EditedFile): string {
  return `replaced ${replacements} in ${path}, ${replacements === 1 ? "" : "the first "}at line ${line}`;
}
