// Rewinds: a history set back to an earlier message. Later messages stay stored under their numbers but go to no model until the
// rewind is undone. A note in the history records the rewind. Summaries of rewound messages are undone with it.

import type { Db, Row } from "../../open.ts";
import type { ProcessFiles } from "../files/files.ts";
import type { GuardedWrite } from "../head.ts";
import type { Outcome } from "../outcome.ts";
import { insertMessage } from "../rows.ts";

export interface Rewind {
  readonly undo: number;
  /** Range of the hidden messages, both ends included, and the note about them. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly noteSeq: number;
  /** Segments undone by this rewind. */
  readonly segments: readonly number[];
  readonly createdAt: number;
  readonly undoneAt: number | null;
}

export interface RewindVerbs {
  /** Oldest first. */
  rewinds(pid: string): Promise<readonly Rewind[]>;
  /** Idempotent per undo. Null: no later message, or a run is active. */
  rewind(
    pid: string,
    request: { readonly undo: number; readonly through: number; readonly note: string; readonly now: number },
  ): Promise<Outcome<Rewind | null>>;
  undoRewind(pid: string, request: { readonly undo: number; readonly now: number }): Promise<Outcome<null>>;
}

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

/** SQL condition: not hidden by a rewind, and not the note of an undone rewind. */
export const NOT_REWOUND = `NOT EXISTS (SELECT 1 FROM rewinds WHERE
  (rewinds.undone_at IS NULL AND messages.id BETWEEN from_message_id AND to_message_id)
  OR (rewinds.undone_at IS NOT NULL AND messages.id = note_message_id))`;

export function rewindVerbs(files: ProcessFiles, write: GuardedWrite): RewindVerbs {
  return {
    rewinds: async (pid) => rewindsIn(files.get(pid)),

    rewind: async (pid, { undo, through, note, now }) =>
      write(pid, "full", (db, head) => {
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
      write(pid, "full", (db, head) => {
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

export function forgetRewinds(db: Db, upTo: number): void {
  db.run("DELETE FROM rewinds WHERE note_message_id <= ?", upTo);
}

function rewindsIn(db: Db): Rewind[] {
  return db
    .all<Columns>(`SELECT ${COLUMNS} FROM rewinds ORDER BY note_message_id`)
    .map(({ segments_json, ...rest }) => ({ ...rest, segments: JSON.parse(segments_json) as number[] }));
}
