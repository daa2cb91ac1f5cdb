// fs.uses and fs.writers: which process has read or written which file, for lsof and audit.

import type { When } from "../../lib/text/days.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { type CallContext, field, syscall } from "../define.ts";
import { FILE_TARGETS, type FileTarget } from "./files-service.ts";

export interface FileUseInfo {
  readonly pid: string;
  readonly label: string | null;
  readonly target: FileTarget;
  readonly path: string;
  /** Its last action on the file. */
  readonly how: "read" | "wrote" | "removed";
  /** The version it read or wrote. */
  readonly version: string | null;
  /** Whether the file has changed since; null if unknown. */
  readonly isStale: boolean | null;
  readonly at: number;
  readonly run: string | null;
}

export interface FileWriterInfo {
  readonly at: number;
  readonly target: FileTarget;
  readonly path: string;
  readonly what: "wrote" | "removed" | "moved here";
  /** Null if unknown. */
  readonly account: string | null;
  readonly pid: string | null;
  readonly run: string | null;
  readonly call: string | null;
  readonly tool: string | null;
  /** The commit, if the file is versioned. */
  readonly commit: string | null;
  readonly movedFrom: string | null;
}

export interface FileUse {
  /** Newest first. */
  uses(
    context: CallContext,
    query: { readonly path?: string; readonly pid?: string; readonly target: FileTarget; readonly limit: number },
  ): Promise<{ readonly uses: readonly FileUseInfo[]; readonly more: boolean }>;
  /** Newest first. */
  writers(
    context: CallContext,
    query: { readonly path: string; readonly target: FileTarget; readonly since?: string; readonly limit: number },
  ): Promise<{ readonly writers: readonly FileWriterInfo[]; readonly more: boolean }>;
}

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
      print: {
        kind: "list",
        rows: (result: { writers: readonly FileWriterInfo[] }) => result.writers,
        line: writerText,
        empty: "(no writes recorded)",
      },
    },
    run: ({ fileUse }: { fileUse: FileUse }, args, context) => fileUse.writers(context, args),
  }),
] as const;

function placeText({ target: where, path }: { readonly target: string; readonly path: string }): string {
  return where === "host" ? `host:${path}` : path;
}

function writerText(
  { at, what, account, pid, run, tool, call, commit, movedFrom }: FileWriterInfo,
  when: When,
): string {
  const who = pid === null ? (account ?? "outside gsv") : `${pid}${account === null ? "" : ` as ${account}`}`;
  const from = movedFrom === null ? "" : ` from ${movedFrom}`;
  const how = [
    ...(tool === null ? [] : [tool]),
    ...(run === null ? [] : [`run ${run}`]),
    ...(call === null ? [] : [`call ${call}`]),
    ...(commit === null ? [] : [`version ${commit.slice(0, 10)}`]),
  ];
  return reveal(`${when(at)} ${who} ${what}${from}${how.length === 0 ? "" : ` (${how.join(", ")})`}`);
}
