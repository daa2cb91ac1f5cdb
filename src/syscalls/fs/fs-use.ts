// fs.uses and fs.writers: which process has read or written which file, for lsof and audit.

import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall } from "../define.ts";
import type { FileUse, FileUseInfo, FileWriterInfo } from "./file-use-service.ts";
import { FILE_TARGETS } from "./files-service.ts";

const LISTED = 200;
const LISTED_MAX = 1000;

const target = field.withDefault(field.choice("gsv: the virtual machine; host: this computer", FILE_TARGETS), "gsv");
const limit = field.withDefault(
  field.int("maximum number of rows", { min: 1, max: LISTED_MAX, letter: "n", meta: "N" }),
  LISTED,
);

export const fsUseCalls = [
  syscall({
    name: "fs.uses",
    summary: "List files that processes have used",
    class: "read",
    capability: "fs.read",
    input: {
      path: field.optional(field.path("only this file", { positional: true, meta: "PATH", of: "file" })),
      pid: field.optional(field.pid("only this process", { letter: "p", meta: "PID" })),
      target,
      limit,
    },
    cli: {
      hidden: true,
      examples: [
        "gsv lsof",
        "gsv lsof '~/notes.md'",
        "gsv lsof --pid task:abc123",
        "gsv lsof --target host ./src/main.ts",
      ],
      print: {
        kind: "table",
        rows: (result: { uses: readonly FileUseInfo[] }) => result.uses,
        empty: "(no file use recorded)",
        columns: [
          { head: "PID", cell: (row: FileUseInfo) => row.pid },
          { head: "LABEL", minor: 2, cell: (row: FileUseInfo) => row.label ?? "-", shrink: true },
          { head: "DID", cell: (row: FileUseInfo) => row.how },
          { head: "STALE", cell: (row: FileUseInfo) => (row.isStale === null ? "?" : row.isStale ? "stale" : "-") },
          { head: "VERSION", minor: 1, cell: (row: FileUseInfo) => row.version?.slice(0, 12) ?? "-" },
          { head: "RUN", minor: 3, cell: (row: FileUseInfo) => row.run ?? "-" },
          { head: "WHEN", since: (row: FileUseInfo) => row.at, align: "right" },
          { head: "PATH", cell: (row: FileUseInfo) => placeText(row), shrink: "start" },
        ],
      },
    },
    run: ({ fileUse }: { fileUse: FileUse }, args, context) => fileUse.uses(context, args),
  }),

  syscall({
    name: "fs.writers",
    summary: "List who wrote a file, newest first",
    class: "read",
    by: "person",
    capability: "fs.read",
    input: {
      path: field.path("file, even a deleted one", { positional: true, meta: "PATH", of: "file" }),
      target,
      since: field.optional(field.text("only since: today, 2h, 7d, a date or a time", { longest: 40, meta: "WHEN" })),
      limit,
    },
    cli: {
      hidden: true,
      examples: ["gsv audit '~/notes.md'", "gsv audit --since 7d '~/context.d/10-user.md' --json"],
      print: {
        kind: "list",
        rows: (result: { writers: readonly FileWriterInfo[] }) => result.writers,
        line: (row: FileWriterInfo) => writerText(row),
        empty: "(no writes recorded)",
      },
    },
    run: ({ fileUse }: { fileUse: FileUse }, args, context) => fileUse.writers(context, args),
  }),
] as const;

function placeText({ target: where, path }: { readonly target: string; readonly path: string }): string {
  return where === "host" ? `host:${path}` : path;
}

function writerText({ at, what, account, pid, run, tool, call, commit, movedFrom }: FileWriterInfo): string {
  const who = pid === null ? (account ?? "outside gsv") : `${pid}${account === null ? "" : ` as ${account}`}`;
  const from = movedFrom === null ? "" : ` from ${movedFrom}`;
  const how = [
    ...(tool === null ? [] : [tool]),
    ...(run === null ? [] : [`run ${run}`]),
    ...(call === null ? [] : [`call ${call}`]),
    ...(commit === null ? [] : [`version ${commit.slice(0, 10)}`]),
  ];
  return reveal(`${new Date(at).toISOString()} ${who} ${what}${from}${how.length === 0 ? "" : ` (${how.join(", ")})`}`);
}
