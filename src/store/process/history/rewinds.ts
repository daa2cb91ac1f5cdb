// Histories that were taken back to an earlier message: what came after it is there as before, under its numbers, and is told to no model
// until the rewind is taken back. A note in the history says what was done. A summary that stands for what was taken back is
// taken back with it.

import type { Db, Durability, Row } from "../../open.ts";
import type { ProcessFiles } from "../files/files.ts";
import type { HeadRow } from "../head.ts";
import { insertMessage } from "../rows.ts";
import type { Outcome, Refusal } from "../verbs.ts";

export interface Rewind {
  /** The undo it is part of. */
  readonly undo: number;
  /** The messages that are told no more, both included, and the note about it. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly noteSeq: number;
  /** Segments that were taken back with it. */
  readonly segments: readonly number[];
  readonly createdAt: number;
  readonly undoneAt: number | null;
}

export interface RewindVerbs {
  /** Oldest first. */
  rewinds(pid: string): Promise<readonly Rewind[]>;
  /** Again for the same undo it changes nothing. Null: nothing came after that message, or a run is at work. */
  rewind(
    pid: string,
    wish: { readonly undo: number; readonly through: number; readonly note: string; readonly now: number },
  ): Promise<Outcome<Rewind | null>>;
  undoRewind(pid: string, wish: { readonly undo: number; readonly now: number }): Promise<Outcome<null>>;
}

type Verb = <T>(pid: string, durability: Durability, step: (db: Db, head: HeadRow) => T | Refusal) => Outcome<T>;

interface Columns extends Row {
  readonly undo: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly noteSeq: number;
  readonly segments_json: string;
  readonly createdAt: number;
  readonly undoneAt: number | null;
}

const COLUMNS = `undo_id AS "undo", from_message_id AS fromSeq, to_message_id AS toSeq, note_message_id AS noteSeq, segments_json,
  created_at AS createdAt, undone_at AS undoneAt`;

/** A condition for messages that are told: none that a rewind took back, and no note of one that was taken back itself. */
export const NOT_REWOUND = `NOT EXISTS (SELECT 1 FROM rewinds WHERE
  (rewinds.undone_at IS NULL AND messages.id BETWEEN from_message_id AND to_message_id)
  OR (rewinds.undone_at IS NOT NULL AND messages.id = note_message_id))`;

export function rewindVerbs(files: ProcessFiles, verb: Verb): RewindVerbs {
  return {
    rewinds: async (pid) => rewindsIn(files.get(pid)),

    rewind: async (pid, { undo, through, note, now }) =>
      verb(pid, "full", (db, head) => {
        if (head.closing !== null) return "no-process";
        const known = rewindsIn(db).find((each) => each.undo === undo);
        if (known !== undefined) return known;
        const last = head.nextSeq - 1;
        if (head.currentRun !== null || through >= last) return null;
        const segments = db
          .all<{ id: number }>("SELECT id FROM segments WHERE undone_at IS NULL AND to_message_id > ?", through)
          .map(({ id }) => id);
        for (const id of segments) db.run("UPDATE segments SET undone_at = ? WHERE id = ?", now, id);
        const noteSeq = head.takeSeq();
        const origin = { kind: "kernel" } as const;
        insertMessage(db, head.generation, {
          ...{ id: noteSeq, role: "system", content: note, runId: null, timestamp: now, origin },
        });
        const rewind = { undo, fromSeq: through + 1, toSeq: last, noteSeq, segments, createdAt: now, undoneAt: null };
        putRewind(db, rewind);
        return rewind;
      }),

    undoRewind: async (pid, { undo, now }) =>
      verb(pid, "full", (db, head) => {
        if (head.closing !== null) return "no-process";
        const known = rewindsIn(db).find((each) => each.undo === undo && each.undoneAt === null);
        if (known === undefined) return null;
        for (const id of known.segments) db.run("UPDATE segments SET undone_at = NULL WHERE id = ?", id);
        db.run("UPDATE rewinds SET undone_at = ? WHERE undo_id = ?", now, undo);
        return null;
      }),
  };
}

export function putRewind(db: Db, { undo, fromSeq, toSeq, noteSeq, segments, createdAt, undoneAt }: Rewind): void {
  db.run(
    `INSERT OR IGNORE INTO rewinds (undo_id, from_message_id, to_message_id, note_message_id, segments_json, created_at, undone_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[undo, fromSeq, toSeq, noteSeq, JSON.stringify(segments), createdAt, undoneAt],
  );
}

/** They go with their messages. */
export function forgetRewinds(db: Db, upTo: number): void {
  db.run("DELETE FROM rewinds WHERE note_message_id <= ?", upTo);
}

function rewindsIn(db: Db): Rewind[] {
  return db
    .all<Columns>(`SELECT ${COLUMNS} FROM rewinds ORDER BY note_message_id`)
    .map(({ segments_json, ...rest }) => ({ ...rest, segments: JSON.parse(segments_json) as number[] }));
}
