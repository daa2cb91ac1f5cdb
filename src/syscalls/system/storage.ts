// storage.*: where objects are stored, whether their bytes are intact, and what can be deleted.

import type { Caller } from "../../abi/identity.ts";
import { sizeText } from "../../lib/text/size.ts";
import { type CallContext, field, syscall, value } from "../define.ts";

export interface FamilySize {
  readonly family: string;
  readonly objects: number;
  readonly bytes: number;
}

export interface StorageStatus {
  readonly driver: "disk" | "s3";
  /** The directory, or the address of the bucket. */
  readonly place: string;
  readonly objects: number;
  readonly bytes: number;
  readonly families: readonly FamilySize[];
}

export interface StorageFault {
  readonly path: string;
  readonly fault: "missing" | "damaged";
}

export interface VerifiedPage {
  readonly checked: number;
  readonly bytes: number;
  readonly faults: readonly StorageFault[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

export interface Collected {
  readonly what:
    | "bytes of no file"
    | "half-written"
    | "file without bytes"
    | "media of a process that is gone"
    | "left by a move";
  readonly name: string;
  readonly bytes: number;
}

export interface Collection {
  readonly dryRun: boolean;
  readonly count: number;
  readonly bytes: number;
  readonly collected: readonly Collected[];
}

export interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly driver: "disk" | "s3";
  readonly objects: number;
  readonly found: number;
  readonly bytes: number;
}

export interface Rebuilt {
  readonly dryRun: boolean;
  readonly from: string;
  /** Number of sidecars. */
  readonly found: number;
  readonly restored: number;
  readonly same: number;
  readonly kept: number;
  readonly bytes: number;
  readonly failed: number;
  readonly unread: readonly { readonly name: string; readonly why: string }[];
}

export interface Storage {
  /** The caller's own objects; for root, all. */
  status(caller: Caller): Promise<StorageStatus>;
  verify(caller: Caller, query: { readonly after?: string }, signal: AbortSignal): Promise<VerifiedPage>;
  gc(context: CallContext, request: { readonly dryRun: boolean; readonly left: boolean }): Promise<Collection>;
  rebuild(context: CallContext, request: { readonly dryRun: boolean }): Promise<Rebuilt>;
  migrate(context: CallContext, request: { readonly to: "disk" | "s3" }): Promise<Migrated>;
}

export interface MediaInfo {
  readonly id: string;
  readonly pid: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly path: string;
  readonly at: number;
}

export interface MediaPiece {
  readonly pid: string;
  readonly id?: string;
  readonly offset: number;
  /** In base64. */
  readonly data: string;
  readonly more: boolean;
}

export interface MediaTaken {
  readonly id: string;
  readonly received: number;
  /** Present once the upload is complete. */
  readonly media: MediaInfo | null;
}

export interface Media {
  put(context: CallContext, piece: MediaPiece): Promise<MediaTaken>;
  get(
    caller: Caller,
    query: { readonly pid: string; readonly id: string; readonly offset: number },
  ): Promise<{ readonly media: MediaInfo; readonly data: string; readonly next: number | null }>;
  list(
    caller: Caller,
    query: { readonly pid: string; readonly after?: string },
  ): Promise<{ readonly media: readonly MediaInfo[]; readonly next: string | null }>;
  remove(context: CallContext, request: { readonly pid: string; readonly id: string }): Promise<MediaInfo>;
}

export const storageCalls = [
  syscall({
    name: "storage.status",
    summary: "Show where data is stored and its size",
    class: "read",
    capability: "system.status",
    input: {},
    cli: { examples: ["gsv storage status", "gsv storage status --json"], print: value(statusText) },
    run: ({ storage }: { storage: Storage }, _args, { caller }) => storage.status(caller),
  }),

  syscall({
    name: "storage.verify",
    summary: "Verify the checksums of stored data",
    class: "read",
    capability: "system.status",
    input: { after: field.optional(field.text("cursor of the next page", { hide: "both" })) },
    cli: {
      examples: ["gsv storage verify", "gsv storage verify --json"],
      print: value(({ checked }: VerifiedPage) => `${checked} checked`),
    },
    run: ({ storage }: { storage: Storage }, args, { caller, signal }) => storage.verify(caller, args, signal),
  }),

  syscall({
    name: "storage.gc",
    summary: "Delete unused data (root)",
    class: "keyed",
    once: "verb",
    by: "person",
    input: {
      dryRun: field.flag("show what would be deleted", { flag: "dry-run" }),
      left: field.flag("also data left by storage migrate"),
    },
    cli: {
      examples: ["gsv storage gc --dry-run --user root", "gsv storage gc --user root"],
      print: {
        kind: "list",
        rows: (result: Collection) => result.collected,
        line: ({ what, name, bytes }: Collected) => `${what}: ${name} (${sizeText(bytes)})`,
        empty: "(nothing to delete)",
        note: ({ dryRun, count, bytes }: Collection) =>
          count === 0 ? null : `${count} ${dryRun ? "would be deleted" : "deleted"}, ${sizeText(bytes)}`,
      },
    },
    run: ({ storage }: { storage: Storage }, { dryRun = false, left = false }, context) =>
      storage.gc(context, { dryRun, left }),
  }),

  syscall({
    name: "storage.rebuild",
    summary: "Restore files from an S3 bucket (root)",
    class: "keyed",
    once: "verb",
    by: "person",
    input: { dryRun: field.flag("show what would be restored", { flag: "dry-run" }) },
    cli: {
      examples: ["gsv storage rebuild --dry-run --user root", "gsv storage rebuild --user root"],
      print: value(rebuiltText),
    },
    run: ({ storage }: { storage: Storage }, { dryRun = false }, context) => storage.rebuild(context, { dryRun }),
  }),

  syscall({
    name: "storage.migrate",
    summary: "Move all data to another driver (root)",
    class: "keyed",
    once: "verb",
    by: "person",
    input: { to: field.choice("destination", ["disk", "s3"], { meta: "DRIVER" }) },
    cli: {
      examples: ["gsv storage migrate --to s3 --user root", "gsv storage migrate --to disk --user root"],
      print: value(migratedText),
    },
    run: ({ storage }: { storage: Storage }, args, context) => storage.migrate(context, args),
  }),
] as const;

function statusText({ driver, place, objects, bytes, families }: StorageStatus): string {
  const rows = [...families, { family: "all", objects, bytes }].map((row) => [
    row.family,
    `${row.objects} ${row.objects === 1 ? "object " : "objects"}`,
    sizeText(row.bytes),
  ]);
  const widths = [0, 1, 2].map((at) =>
    Math.max(at === 0 ? "driver".length : 0, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const lines = rows.map(
    ([family = "", count = "", size = ""]) =>
      `${family.padEnd(widths[0] ?? 0)}  ${count.padStart(widths[1] ?? 0)}  ${size.padStart(widths[2] ?? 0)}`,
  );
  const facts = [
    ["driver", driver],
    ["place", place],
  ] as const;
  return [...facts.map(([name, is]) => `${name.padEnd(widths[0] ?? 0)}  ${is}`), ...lines].join("\n");
}

function rebuiltText({ dryRun, from, found, restored, same, kept, bytes, failed, unread }: Rebuilt): string {
  const counts = [
    `${restored} ${dryRun ? "would be restored" : "restored"} (${sizeText(bytes)})`,
    `${same} already here`,
    ...(kept === 0 ? [] : [`${kept} newer here`]),
    ...(failed === 0 ? [] : [`${failed} not read`]),
  ];
  const unreadable = unread.map(({ name, why }) => `not read: ${name} (${why})`);
  return [`${found} found in ${from}: ${counts.join(", ")}`, ...unreadable].join("\n");
}

function migratedText({ from, to, objects, found, bytes }: Migrated): string {
  const before = found === 0 ? "" : `, ${found} already there`;
  return [
    `moved ${objects} objects to ${to} (${sizeText(bytes)} sent${before}), all verified`,
    `the old data is still in ${from}; after an hour: gsv storage gc --left --user root`,
  ].join("\n");
}
