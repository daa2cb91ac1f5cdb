// Repairs that doctor may make to a home's databases without losing anything that anybody wrote. Only for the holder of the lock. A process
// is not repaired here but marked dirty; the next start of the kernel then repairs it.

import { join } from "node:path";
import { Db } from "./open.ts";
import { HeadRow } from "./process/head.ts";
import { approvalFromRow, type HilRow } from "./process/rows.ts";
import type { OutboxRow } from "./process/verbs.ts";

export type Mender = ReturnType<typeof mender>;

export function mender(paths: { readonly kernelDb: string; readonly procDir: string }) {
  const inKernel = <T>(body: (db: Db) => T) => written(paths.kernelDb, body);
  const mark = (pid: string) => inKernel((db) => db.run("UPDATE processes SET dirty = 1 WHERE process_id = ?", pid));
  return {
    /** The next start of the kernel looks at the process: finishes what was begun, sets damage aside. */
    mark,

    /** The next start copies the process's own word into kernel.db. */
    copyAgain(pid: string): void {
      mark(pid);
      const listed = inKernel((db) => listedIn(db, pid));
      const known = written(join(paths.procDir, `${pid}.db`), (db) => sendAgain(db, pid, listed));
      // Kept in the registry alone, they would be asked for ever.
      inKernel((db) => {
        for (const id of listed.open.filter((each) => !known.includes(each)))
          db.run(
            "UPDATE approvals SET decision = 'withdrawn', decided_by = 'kernel', decided_at = created_at WHERE process_id = ? AND request_id = ? AND decision IS NULL",
            pid,
            id,
          );
      });
    },

    /** Indexes are derived from the rows. */
    reindex: (path: string): void => written(path, (db) => db.script("REINDEX")),
  };
}

function written<T>(path: string, body: (db: Db) => T): T {
  const db = new Db(path, { mode: "write" });
  try {
    return db.write("full", () => body(db));
  } finally {
    db.close();
  }
}

interface Listed {
  readonly open: readonly string[];
  readonly seq: number;
}

function listedIn(db: Db, pid: string): Listed {
  const open = db.all<{ request_id: string }>(
    "SELECT request_id FROM approvals WHERE process_id = ? AND decision IS NULL",
    pid,
  );
  const row = db.get<{ projected_seq: number }>("SELECT projected_seq FROM processes WHERE process_id = ?", pid);
  return { open: open.map((each) => each.request_id), seq: row?.projected_seq ?? 0 };
}

/** Returns the approvals that the process knows. */
function sendAgain(db: Db, pid: string, listed: Listed): string[] {
  const approvals = db
    .all<HilRow>("SELECT * FROM pending_hil")
    .filter((row) => row.decision === null || listed.open.includes(row.request_id))
    .map((row) => approvalFromRow(row, pid));
  const kept = db.get<{ value: string }>("SELECT value FROM process_kv WHERE key = 'outbox_seq'");
  // kernel.db passes over numbers it has seen.
  const seq = Math.max(listed.seq, kept === null ? 0 : (JSON.parse(kept.value) as number)) + 1;
  const row: OutboxRow = { seq, projection: new HeadRow(db).projection(), approvals, ended: null };
  db.run("INSERT INTO outbox (seq, body_json) VALUES (?, ?)", seq, JSON.stringify(row));
  db.run(
    "INSERT INTO process_kv (key, value) VALUES ('outbox_seq', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    String(seq),
  );
  return approvals.map((approval) => approval.id);
}
