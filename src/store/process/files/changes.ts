// File changes of tool calls, and their undos: place, path, version before and after. A change row is written before its call starts, so a
// call that dies leaves the version it started from. An undo is stored whole before it touches the first file, so that a later
// kernel can complete it.

import type { FileState } from "../../../abi/process/undo.ts";
import type { Db, Row } from "../../open.ts";

export interface Change {
  readonly id: number;
  readonly runId: string;
  readonly turn: number;
  readonly dispatchId: string;
  /** Number of the first message after the change. */
  readonly seq: number;
  readonly tool: string;
  readonly place: string;
  /** The only file that can have changed; null for any. */
  readonly path: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** Files that are present but have no stored version. */
  readonly leftOut: readonly string[];
  /** Why the changes are unknown. */
  readonly fault: string | null;
  readonly undoneBy: number | null;
  readonly at: number;
}

export interface UndoneFile {
  readonly place: string;
  readonly path: string;
  /** State before and after the undo. */
  readonly from: FileState;
  readonly to: FileState;
}

export interface Undo {
  readonly id: number;
  readonly at: number;
  readonly by: string;
  readonly requestKey: string;
  /** Changes that this undo takes back, or that a redo restores. */
  readonly changes: readonly number[];
  readonly files: readonly UndoneFile[];
  /** Set for a redo: the undo that it reverses. */
  readonly redoOf: number | null;
  /** The history is rewound to this message, too. */
  readonly rewind: number | null;
  readonly done: boolean;
  readonly redone: boolean;
}

export interface ChangeVerbs {
  beginChange(
    pid: string,
    change: Pick<Change, "runId" | "dispatchId" | "tool" | "place" | "path" | "before" | "at">,
  ): Promise<void>;
  /** Deletes the row if the call changed nothing. */
  endChange(
    pid: string,
    id: number,
    end: Pick<Change, "after" | "leftOut" | "fault"> & { readonly changed: boolean },
  ): Promise<void>;
  /** Oldest first. */
  changes(
    pid: string,
    which: { readonly open: boolean } | { readonly runId: string } | { readonly sinceSeq: number } | "all",
  ): Promise<readonly Change[]>;
  beginUndo(
    pid: string,
    undo: Pick<Undo, "at" | "by" | "requestKey" | "changes" | "files" | "redoOf" | "rewind">,
  ): Promise<number>;
  endUndo(pid: string, id: number): Promise<void>;
  /** Newest first. */
  undos(pid: string): Promise<readonly Undo[]>;
}

const CHANGES_KEPT = 5000;
const UNDOS_KEPT = 100;

type Columns = { readonly [K in Exclude<keyof Change, "leftOut">]: Change[K] } & { readonly leftOut: string };

const COLUMNS = `id, run_id AS runId, turn, dispatch_id AS dispatchId, seq, tool, place, path, before, after,
  left_out_json AS leftOut, fault, undone_by AS undoneBy, created_at AS at`;

export function changeVerbs(
  dbOf: (pid: string) => Db,
  write: (pid: string, step: (db: Db) => void) => void,
): ChangeVerbs {
  return {
    async beginChange(pid, { runId, dispatchId, tool, place, path, before, at }) {
      write(pid, (db) => {
        db.run(
          `INSERT INTO changes (run_id, turn, dispatch_id, seq, tool, place, path, before, ended, left_out_json, created_at)
           VALUES (?1, coalesce((SELECT turn FROM runs WHERE run_id = ?1), 0), ?2, coalesce((SELECT CAST(value AS INTEGER) FROM process_kv WHERE key = 'next_seq'), 1), ?3, ?4, ?5, ?6, 0, '[]', ?7)`,
          ...[runId, dispatchId, tool, place, path, before, at],
        );
        db.run("DELETE FROM changes WHERE id <= (SELECT max(id) FROM changes) - ?", CHANGES_KEPT);
      });
    },

    async endChange(pid, id, { after, leftOut, fault, changed }) {
      write(pid, (db) => {
        if (!changed) db.run("DELETE FROM changes WHERE id = ?", id);
        else
          db.run(
            "UPDATE changes SET after = ?, left_out_json = ?, fault = ?, ended = 1 WHERE id = ?",
            ...[after, JSON.stringify(leftOut), fault, id],
          );
      });
    },

    async changes(pid, which) {
      const [where, values] = conditionOf(which);
      return dbOf(pid)
        .all<Columns>(`SELECT ${COLUMNS} FROM changes WHERE ${where} ORDER BY id`, ...values)
        .map((row) => ({ ...row, leftOut: JSON.parse(row.leftOut) as string[] }));
    },

    async beginUndo(pid, { at, by, requestKey, changes, files, redoOf, rewind }) {
      let id = 0;
      write(pid, (db) => {
        db.run(
          "INSERT INTO undos (created_at, undone_by, request_key, changes_json, files_json, redo_of, rewind_through, done, redone) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)",
          ...[at, by, requestKey, JSON.stringify(changes), JSON.stringify(files), redoOf, rewind],
        );
        id = db.get<{ id: number }>("SELECT last_insert_rowid() AS id")?.id ?? 0;
        db.run("DELETE FROM undos WHERE id <= ? - ?", id, UNDOS_KEPT);
      });
      return id;
    },

    async endUndo(pid, id) {
      write(pid, (db) => {
        const undo = undosIn(db, id)[0];
        if (undo === undefined) return;
        const { redoOf, changes } = undo;
        const mark = redoOf === null ? id : null;
        for (const change of changes) db.run("UPDATE changes SET undone_by = ? WHERE id = ?", mark, change);
        if (redoOf !== null) db.run("UPDATE undos SET redone = 1 WHERE id = ?", redoOf);
        db.run("UPDATE undos SET done = 1 WHERE id = ?", id);
      });
    },

    undos: async (pid) => undosIn(dbOf(pid), null),
  };
}

function conditionOf(which: Parameters<ChangeVerbs["changes"]>[1]): [string, (string | number)[]] {
  if (which === "all") return ["TRUE", []];
  if ("open" in which) return ["ended = ?", [which.open ? 0 : 1]];
  return "runId" in which ? ["run_id = ?", [which.runId]] : ["seq > ?", [which.sinceSeq]];
}

interface UndoColumns extends Row {
  readonly id: number;
  readonly created_at: number;
  readonly undone_by: string;
  readonly request_key: string;
  readonly changes_json: string;
  readonly files_json: string;
  readonly redo_of: number | null;
  readonly rewind_through: number | null;
  readonly done: number;
  readonly redone: number;
}

function undosIn(db: Db, id: number | null): Undo[] {
  const rows = db.all<UndoColumns>("SELECT * FROM undos WHERE ?1 IS NULL OR id = ?1 ORDER BY id DESC", id);
  return rows.map((row) => ({
    id: row.id,
    at: row.created_at,
    by: row.undone_by,
    requestKey: row.request_key,
    changes: JSON.parse(row.changes_json) as number[],
    files: JSON.parse(row.files_json) as UndoneFile[],
    redoOf: row.redo_of,
    rewind: row.rewind_through,
    done: row.done === 1,
    redone: row.redone === 1,
  }));
}
