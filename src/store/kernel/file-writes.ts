// File writes through gsv: who, when, from which tool call. Several writes of one call are one row. Bounded. Changes made outside gsv
// are not recorded.

import { LIMITS } from "../../abi/config/limits.ts";
import type { KernelDb } from "./db.ts";

export interface FileWrite {
  readonly at: number;
  /** "gsv" or "host". */
  readonly target: string;
  /** The path without symlinks. */
  readonly path: string;
  readonly verb: "write" | "remove" | "move";
  readonly uid: number;
  /** Null for a person. */
  readonly pid: string | null;
  readonly runId: string | null;
  readonly callId: string | null;
  readonly tool: string | null;
  /** Version after the write; null if the file was removed. */
  readonly version: string | null;
  /** Old path of a moved file. */
  readonly movedFrom: string | null;
}

export interface FileWriteRows {
  add(row: FileWrite): Promise<void>;
  /** Newest first; of one file or of one process. */
  list(query: {
    readonly place?: { readonly target: string; readonly path: string };
    readonly pid?: string;
    readonly since?: number;
    readonly limit: number;
  }): Promise<readonly (FileWrite & { readonly id: number })[]>;
  /** Deletes up to rowsMax older rows. */
  sweep(before: number, rowsMax: number): Promise<void>;
}

type Row = { readonly [K in keyof FileWrite]: FileWrite[K] } & { readonly id: number };

/** Writes between two clean-ups. */
const WRITES_BETWEEN = 256;

export function fileWriteRows(kernel: KernelDb): FileWriteRows {
  const { db } = kernel;
  let added = 0;
  return {
    async add({ at, target, path, verb, uid, pid, runId, callId, tool, version, movedFrom }) {
      kernel.write("normal", () => {
        const again =
          callId !== null &&
          db.run(
            `UPDATE file_writes SET at = ?1, version = ?2
             WHERE id = (SELECT max(id) FROM file_writes WHERE target = ?3 AND path = ?4) AND call_id = ?5 AND verb = ?6`,
            ...[Math.floor(at), version, target, path, callId, verb],
          ) > 0;
        if (again) return;
        db.run(
          `INSERT INTO file_writes (at, target, path, verb, uid, pid, run_id, call_id, tool, version, moved_from)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[Math.floor(at), target, path, verb, uid, pid, runId, callId, tool, version, movedFrom],
        );
        if (++added % WRITES_BETWEEN !== 0) return;
        db.run("DELETE FROM file_writes WHERE id <= (SELECT max(id) FROM file_writes) - ?", LIMITS.fileWritesMax);
      });
    },

    async list({ place, pid, since = 0, limit }) {
      const of = place === undefined ? "?1 IS NULL AND ?2 IS NULL" : "target = ?1 AND path = ?2";
      return db.all<Row>(
        `SELECT id, at, target, path, verb, uid, pid, run_id AS runId, call_id AS callId, tool, version, moved_from AS movedFrom
         FROM file_writes WHERE ${of} AND (?3 IS NULL OR pid = ?3) AND at >= ?4 ORDER BY id DESC LIMIT ?5`,
        ...[place?.target ?? null, place?.path ?? null, pid ?? null, since, limit],
      );
    },

    async sweep(before, rowsMax) {
      const oldest = "SELECT id FROM file_writes WHERE at < ? ORDER BY id LIMIT ?";
      kernel.write("normal", () => db.run(`DELETE FROM file_writes WHERE id IN (${oldest})`, before, rowsMax));
    },
  };
}
