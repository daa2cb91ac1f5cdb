// Tools about gsv's files: read, list, search, write. Files of this computer are in workspaces that the person attached.

import { sizeText } from "../../../src/lib/text/size.ts";
import { field } from "../../../src/syscalls/define.ts";
import type { FileView, Match } from "../../../src/syscalls/fs/files-service.ts";
import type { EntryPage, FileEntry } from "../../../src/syscalls/fs/fs-tree.ts";
import { fittingLines, numberIn, withCursor } from "./pages.ts";
import { tool } from "./tool.ts";

const ENTRIES = 1000;

const path = field.path("path in gsv, such as ~/notes.md or /workspaces");
const cursor = field.optional(field.text("cursor of the page before", { longest: 255 }));

export const fileTools = [
  tool({
    name: "read_file",
    description: "Read a text file in gsv.",
    needs: ["fs.read"],
    readOnly: true,
    input: { path, cursor },
    async run({ sys }, { path: from, cursor: at }) {
      const offset = numberIn(at);
      const view = await sys.call<FileView>("fs.read", { path: from, offset });
      if (view.kind === "directory") return `${from} is a directory: list_files`;
      if (view.kind === "image") return `${view.path}: ${view.type}, ${sizeText(view.size)}`;
      const lines = view.content.split("\n");
      const { text, count } = fittingLines(lines);
      const next = view.firstLine - 1 + count;
      return withCursor(text, next < view.lines && (count < lines.length || view.truncated) ? next : null);
    },
  }),

  tool({
    name: "list_files",
    description: "List a directory in gsv: mode, size, time, name.",
    needs: ["fs.list"],
    readOnly: true,
    input: { path, cursor },
    async run({ sys }, { path: of, cursor: after }) {
      const asked = { path: of, limit: ENTRIES, ...(after !== undefined && { after }) };
      const { entries, next } = await sys.call<EntryPage>("fs.list", asked);
      const { text, count } = fittingLines(entries.map(entryLine));
      return withCursor(text || "(empty)", count < entries.length ? (entries[count - 1]?.name ?? null) : next);
    },
  }),

  tool({
    name: "search_files",
    description: "Search the contents of files in gsv.",
    needs: ["fs.search"],
    readOnly: true,
    input: {
      query: field.text("text to find", { shortest: 1, longest: 1024 }),
      path: field.optional(field.path("where; default the person's home")),
      include: field.optional(field.text("only names that match this glob", { longest: 256 })),
      cursor,
    },
    async run({ sys }, { query, path: where = "~", include, cursor: at }, { signal }) {
      const asked = { query, path: where, ...(include !== undefined && { include }) };
      const found = await sys.call<{ matches: readonly Match[]; truncated: boolean }>("fs.search", asked, { signal });
      const from = numberIn(at);
      const lines = found.matches.slice(from).map((match) => `${match.path}:${match.line}:${match.content}`);
      const { text, count } = fittingLines(lines);
      const isMore = count < lines.length;
      const note = found.truncated && !isMore ? "\n(more matches exist: narrow the path or the text)" : "";
      return withCursor(`${text || "(no matches)"}${note}`, isMore ? from + count : null);
    },
  }),

  tool({
    name: "write_file",
    description: "Write a text file in gsv; replaces its content.",
    needs: ["fs.write"],
    readOnly: false,
    input: { path, content: field.text("full content", { longest: 512 * 1024 }) },
    async run({ sys }, args) {
      const { path: at, size } = await sys.call<{ path: string; size: number }>("fs.write", args);
      return `wrote ${size} bytes to ${at}`;
    },
  }),
];

function entryLine({ name, kind, mode, size, mtimeMs, target }: FileEntry): string {
  const mark = kind === "directory" ? "/" : kind === "symlink" ? ` -> ${target ?? "?"}` : "";
  return `${mode} ${size} ${new Date(mtimeMs).toISOString().slice(0, 19)}Z ${name}${mark}`;
}
