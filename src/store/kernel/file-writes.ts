// Who wrote which file, when, from which call: one row for each change of a file that went through gsv; what one call writes in pieces is one.
// The newest rows are kept. It says nothing of what somebody changed beside gsv.

import { LIMITS } from "../../abi/config/limits.ts";
import type { KernelDb } from "./db.ts";

export interface FileWrite {
  readonly at: number;
  /** gsv or host. */
  readonly target: string;
  /** Without links. */
  readonly path: string;
  readonly verb: "write" | "remove" | "move";
  readonly uid: number;
  /** Null: a person. */
  readonly pid: string | null;
  readonly runId: string | null;
  /** The tool call, and which tool. */
  readonly callId: string | null;
  readonly tool: string | null;
  /** What it was then; null of what went. */
  readonly version: string | null;
  /** Of a move: where from. */
  readonly movedFrom: string | null;
}

export interface FileWriteRows {
  add(row: FileWrite): Promise<void>;
  /** Newest first; of one file, or of what one process wrote. */
  list(query: {
    readonly place?: { readonly target: string; readonly path: string };
    readonly pid?: string;
    readonly since?: number;
    readonly limit: number;
  }): Promise<readonly (FileWrite & { readonly id: number })[]>;
  /** What is older than an instant goes, so many rows at once. */
  sweep(before: number, rowsMax: number): Promise<void>;
}

type Row = { readonly [K in keyof FileWrite]: FileWrite[K] } & { readonly id: number };

/** How often the oldest rows are looked for: not at every write. */
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
