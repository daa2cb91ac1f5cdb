// storage.*: where the bytes of files, archives and media lie, whether they are the ones that were stored, and what can go.

import { sizeText } from "../../lib/text/size.ts";
import { field, syscall } from "../define.ts";
import type { Collected, Collection, Migrated, Storage, StorageStatus, VerifiedPage } from "./storage-service.ts";

export const storageCalls = [
  syscall({
    name: "storage.status",
    summary: "Show where bytes lie and what takes how much",
    class: "read",
    capability: "system.status",
    input: {},
    cli: {
      examples: ["gsv storage status", "gsv storage status --json"],
      print: { kind: "value", text: (status: StorageStatus) => statusText(status) },
    },
    run: ({ storage }: { storage: Storage }, _args, { caller }) => storage.status(caller),
  }),

  syscall({
    name: "storage.verify",
    summary: "Check stored bytes against what was recorded of them",
    class: "read",
    capability: "system.status",
    input: { after: field.optional(field.text("where the page before ended", { hide: "both" })) },
    cli: {
      examples: ["gsv storage verify", "gsv storage verify --json"],
      print: { kind: "value", text: ({ checked }: VerifiedPage) => `${checked} checked` },
    },
    run: ({ storage }: { storage: Storage }, args, { caller, signal }) => storage.verify(caller, args, signal),
  }),

  syscall({
    name: "storage.gc",
    summary: "Take away bytes that belong to nothing; needs root",
    class: "keyed",
    by: "person",
    input: {
      dryRun: field.flag("only say what would go", { flag: "dry-run" }),
      left: field.flag("also all bytes in the place that storage migrate came from"),
    },
    cli: {
      examples: ["gsv storage gc --dry-run --user root", "gsv storage gc --user root"],
      print: {
        kind: "list",
        rows: (result: Collection) => result.collected,
        line: ({ what, name, bytes }: Collected) => `${what}: ${name} (${sizeText(bytes)})`,
        empty: "(nothing to take away)",
        note: ({ dryRun, count, bytes }: Collection) =>
          count === 0 ? null : `${count} ${dryRun ? "would go" : "gone"}, ${sizeText(bytes)}`,
      },
    },
    run: ({ storage }: { storage: Storage }, { dryRun = false, left = false }, context) =>
      storage.gc(context, { dryRun, left }),
  }),

  syscall({
    name: "storage.migrate",
    summary: "Move all bytes to another driver, then use that; needs root",
    class: "keyed",
    by: "person",
    input: { to: field.choice("where to", ["disk", "s3"], { meta: "DRIVER" }) },
    cli: {
      examples: ["gsv storage migrate --to s3 --user root", "gsv storage migrate --to disk --user root"],
      print: { kind: "value", text: (moved: Migrated) => migratedText(moved) },
    },
    run: ({ storage }: { storage: Storage }, args, context) => storage.migrate(context, args),
  }),
] as const;

function statusText({ driver, place, objects, bytes, families }: StorageStatus): string {
  const rows = [...families, { family: "all", objects, bytes }].map((row) => [
    row.family,
    String(row.objects),
    sizeText(row.bytes),
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map(
    ([family = "", count = "", size = ""]) =>
      `${family.padEnd(widths[0] ?? 0)}  ${count.padStart(widths[1] ?? 0)}  ${size.padStart(widths[2] ?? 0)}`,
  );
  return [`driver  ${driver}`, `place   ${place}`, ...lines].join("\n");
}

function migratedText({ from, to, objects, found, bytes }: Migrated): string {
  const before = found === 0 ? "" : `, ${found} of them there before`;
  return [
    `moved ${objects} objects to ${to} (${sizeText(bytes)} sent${before}), each checked where it arrived`,
    `the bytes in ${from} are still there; when they are an hour old and not needed any more: gsv storage gc --left --user root`,
  ].join("\n");
}
