// fs.*: files and directories by name: look, list, create, move, remove. People type the Unix commands for these (`ls`, `mkdir`, `mv` …).

import { LIMITS } from "../../abi/config/limits.ts";
import { field, syscall } from "../define.ts";
import type { EntryPage, FileEntry, FileStat, FileTree } from "./file-tree-service.ts";

const path = field.path("the file or directory", { positional: true, meta: "PATH" });
const mode = field.optional(field.text("permissions in octal, such as 0640", { longest: 5, meta: "MODE" }));

/** For example `-rw-r----- sam sam 120 2026-01-02T03:04:05.678Z notes.md`. */
function entryLine(entry: FileEntry): string {
  const { kind, mode: octal, owner, group, size, mtimeMs, name, target } = entry;
  const arrow = target === undefined ? "" : ` -> ${target}`;
  return `${kind} ${octal} ${owner} ${group} ${size} ${new Date(mtimeMs).toISOString()} ${name}${arrow}`;
}

const done = (verb: string) => ({
  kind: "value" as const,
  text: ({ path: where }: { readonly path: string }) => `${verb} ${where}`,
});

export const fsTreeCalls = [
  syscall({
    name: "fs.stat",
    summary: "Show kind, owner, mode, size and version",
    class: "read",
    input: { path, link: field.flag("the link itself, not its target") },
    cli: {
      hidden: true,
      examples: ["gsv stat '~/notes.md'"],
      print: { kind: "value", text: (stat: FileStat) => entryLine({ ...stat, name: stat.path }) },
    },
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
    cli: {
      hidden: true,
      examples: ["gsv ls -l /proc"],
      print: {
        kind: "list",
        rows: ({ entries }: EntryPage) => entries,
        line: entryLine,
        empty: "(empty)",
        note: ({ next }: EntryPage) => (next === null ? null : "more entries exist"),
      },
    },
    run: ({ tree }: { tree: FileTree }, args, { caller }) => tree.list(caller, args),
  }),

  syscall({
    name: "fs.mkdir",
    summary: "Make a directory",
    class: "keyed",
    once: "answer",
    input: { path, parents: field.flag("create missing parents; accept an existing directory"), mode },
    cli: { hidden: true, examples: ["gsv mkdir -p '~/notes/2026'"], print: done("made") },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.mkdir(context, { ...args, parents: args.parents === true }),
  }),

  syscall({
    name: "fs.rename",
    summary: "Rename a file or directory",
    class: "keyed",
    once: "answer",
    input: {
      from: field.path("current path", { positional: true, meta: "FROM" }),
      to: field.path("new path", { positional: true, meta: "TO" }),
      exclusive: field.flag("fail if the new path exists"),
    },
    cli: {
      hidden: true,
      examples: ["gsv mv '~/draft.md' '~/final.md'"],
      print: { kind: "value", text: ({ from, to }: { from: string; to: string }) => `moved ${from} to ${to}` },
    },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.rename(context, { ...args, exclusive: args.exclusive === true }),
  }),

  syscall({
    name: "fs.link",
    summary: "Create a symbolic link",
    class: "keyed",
    once: "answer",
    input: {
      path: field.path("path of the link", { positional: true, meta: "PATH" }),
      target: field.text("target, stored as written", {
        positional: true,
        shortest: 1,
        longest: LIMITS.pathBytesMax,
        meta: "TARGET",
      }),
    },
    cli: { hidden: true, examples: ["gsv ln -s notes.md '~/today.md'"], print: done("linked") },
    run: ({ tree }: { tree: FileTree }, args, context) => tree.link(context, args),
  }),

  syscall({
    name: "fs.setattr",
    summary: "Change mode, owner, group or time of a file",
    class: "keyed",
    once: "answer",
    input: {
      path,
      mode,
      owner: field.optional(field.text("account name or number (root)", { longest: 64 })),
      group: field.optional(field.text("group name or number", { longest: 64 })),
      mtimeMs: field.optional(field.int("modification time, in ms since 1970")),
    },
    cli: { hidden: true, examples: ["gsv chmod 0640 '~/notes.md'"], print: done("changed") },
    run: ({ tree }: { tree: FileTree }, args, context) => tree.setattr(context, args),
  }),

  syscall({
    name: "fs.remove",
    summary: "Remove a file or directory",
    class: "keyed",
    once: "answer",
    input: { path, recursive: field.flag("remove a directory with its content") },
    cli: { hidden: true, examples: ["gsv rm -r '~/old'"], print: done("removed") },
    run: ({ tree }: { tree: FileTree }, args, context) =>
      tree.remove(context, { ...args, recursive: args.recursive === true }),
  }),
] as const;
