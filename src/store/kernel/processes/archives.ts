// Archived histories: process, reason and the checksum of the archive, whose bytes are an object.

import type { KernelDb, ListCursor } from "../db.ts";

export interface ArchiveRow {
  readonly id: string;
  readonly pid: string;
  readonly ownerUid: number;
  readonly key: string;
  readonly reason: "reset" | "kill";
  readonly messages: number;
  readonly lines: number;
  readonly undelivered: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly createdAt: number;
}

export interface ArchiveRows {
  add(row: ArchiveRow): Promise<void>;
  get(id: string): Promise<ArchiveRow | null>;
  /** Newest first. */
  list(query: {
    readonly ownerUid?: number;
    readonly pid?: string;
    readonly after?: ListCursor;
    readonly limit: number;
  }): Promise<readonly ArchiveRow[]>;
  /** Oldest first. */
  olderThan(instant: number, limit: number): Promise<readonly ArchiveRow[]>;
  /** Deletes the row; the bytes must be gone. */
  remove(id: string): Promise<void>;
}

const ARCHIVE_COLUMNS =
  "archive_id AS id, process_id AS pid, owner_uid AS ownerUid, object_key AS key, reason, messages, lines, undelivered, bytes, sha256, created_at AS createdAt";

export function archiveRows(kernel: KernelDb): ArchiveRows {
  const { db } = kernel;
  return {
    async add(row) {
      kernel.write("full", () =>
        db.insert(
          "archives",
          {
            archive_id: row.id,
            process_id: row.pid,
            owner_uid: row.ownerUid,
            object_key: row.key,
            reason: row.reason,
            messages: row.messages,
            lines: row.lines,
            undelivered: row.undelivered,
            bytes: row.bytes,
            sha256: row.sha256,
            created_at: row.createdAt,
          },
          "REPLACE",
        ),
      );
    },
    get: async (id) => db.get<ArchiveColumns>(`SELECT ${ARCHIVE_COLUMNS} FROM archives WHERE archive_id = ?`, id),
    async list({ ownerUid, pid, after, limit }) {
      return db.all<ArchiveColumns>(
        `SELECT ${ARCHIVE_COLUMNS} FROM archives
         WHERE (?1 IS NULL OR owner_uid = ?1) AND (?2 IS NULL OR process_id = ?2) AND (?3 IS NULL OR (created_at, archive_id) < (?3, ?4))
         ORDER BY created_at DESC, archive_id DESC LIMIT ?5`,
        ownerUid ?? null,
        pid ?? null,
        after?.createdAt ?? null,
        after?.id ?? "",
        limit,
      );
    },
    async olderThan(instant, limit) {
      return db.all<ArchiveColumns>(
        `SELECT ${ARCHIVE_COLUMNS} FROM archives WHERE created_at < ? ORDER BY created_at, archive_id LIMIT ?`,
        instant,
        limit,
      );
    },
    async remove(id) {
      kernel.write("full", () => db.run("DELETE FROM archives WHERE archive_id = ?", id));
    },
  };
}

type ArchiveColumns = { readonly [K in keyof ArchiveRow]: ArchiveRow[K] };
