// archive.*: histories that a reset or kill archived. Owner-only; verified by checksum, line count and gzip's own checksum.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { shortId } from "../../abi/ids.ts";
import { field, syscall, value } from "../define.ts";
import type { ArchiveInfo, ArchivePage, Archives } from "../services.ts";

const id = field.uuid("the archive", { positional: true, meta: "ID", of: "archive" });

export function damagedArchive(path: string, why: string): SysError {
  // Errors name the archive's key, not its file.
  const what = why.replaceAll(path.slice(1), "the archive");
  return new SysError("EIO", `archive ${path} is damaged: ${what}`, [
    "an older backup may have it intact: gsv restore",
    "gsv doctor checks the rest of the home",
  ]);
}

export const archiveCalls = [
  syscall({
    name: "archive.list",
    summary: "List archived histories, newest first",
    class: "read",
    input: {
      pid: field.optional(field.pid("only of this process", { meta: "PID" })),
      after: field.optional(field.text("cursor of the next page", { longest: 100, hide: "both" })),
    },
    cli: {
      examples: ["gsv archive list", "gsv archive list --pid task:abc123"],
      print: {
        kind: "table",
        rows: (result: { archives: readonly ArchiveInfo[] }) => result.archives,
        empty: "(no archives)",
        pages: { rows: "archives", next: "next", argument: "after" },
        columns: [
          { head: "ID", cell: (row: ArchiveInfo) => row.id, isId: true },
          { head: "PID", cell: (row: ArchiveInfo) => row.pid },
          { head: "WHY", cell: (row: ArchiveInfo) => row.reason },
          { head: "MESSAGES", cell: (row: ArchiveInfo) => String(row.messages), align: "right" },
          { head: "BYTES", cell: (row: ArchiveInfo) => String(row.bytes), align: "right", isSize: true },
          { head: "WHEN", since: "createdAt" },
          { head: "PATH", cell: (row: ArchiveInfo) => row.path, minor: 1 },
        ],
      },
    },
    run: ({ archives }: { archives: Archives }, args, { caller }) => archives.list(caller, args),
  }),

  syscall({
    name: "archive.show",
    summary: "Print the records of an archive",
    class: "read",
    input: {
      id,
      after: field.withDefault(field.int("number of records to skip", { meta: "N" }), 0),
      limit: field.withDefault(
        field.int("maximum number of records", { min: 1, max: LIMITS.historyPageMax, meta: "N" }),
        LIMITS.historyPageMax,
      ),
    },
    cli: {
      examples: ["gsv archive show 0190a1b2-…"],
      print: {
        kind: "list",
        rows: (result: ArchivePage) => result.records,
        line: (record: object) => JSON.stringify(record),
        empty: "(no records)",
        note: ({ next }: ArchivePage) => (next === null ? null : `more records: --after ${next}`),
        cut: (result: ArchivePage) => partsText(result),
      },
    },
    run: ({ archives }: { archives: Archives }, args, { caller }) => archives.show(caller, args.id, args),
  }),

  syscall({
    name: "archive.verify",
    summary: "Verify the checksum of an archive",
    class: "read",
    input: { id },
    cli: {
      examples: ["gsv archive verify 0190a1b2-…"],
      print: value(
        (result: { archive: ArchiveInfo }) =>
          `ok ${result.archive.path} (${result.archive.lines} records, sha256 ${result.archive.sha256})`,
        ({ archive }) => `ok ${shortId(archive.id)} (${archive.lines} records, sha256 ${archive.sha256})`,
      ),
    },
    run: async ({ archives }: { archives: Archives }, args, { caller }) => {
      const checked = await archives.verify(caller, args.id);
      if (!checked.ok) throw damagedArchive(checked.archive.path, checked.fault ?? "");
      return checked;
    },
  }),
] as const;

function partsText({ path, inPart }: ArchivePage): string | null {
  if (inPart.length === 0) return null;
  const file = `objects${path} in the home`;
  return inPart.map((line) => `record ${line} is cut: see line ${line} of ${file} (gzip) for all of it`).join("; ");
}
