// Repairs by gsv doctor that lose nothing. Requires the kernel lock. A process is only marked dirty: the next kernel repairs it.

import { join } from "node:path";
import { Db } from "./open.ts";
import { HeadRow } from "./process/head.ts";
import { approvalFromRow, type HilRow } from "./process/rows.ts";
import type { OutboxRow } from "./process/verbs.ts";

export type Repairs = ReturnType<typeof repairs>;

export function repairs(paths: { readonly kernelDb: string; readonly procDir: string }) {
  const inKernel = <T>(body: (db: Db) => T) => inTransaction(paths.kernelDb, body);
  const mark = (pid: string) => inKernel((db) => db.run("UPDATE processes SET dirty = 1 WHERE process_id = ?", pid));
  return {
    /** The next kernel finishes what was begun and quarantines damaged files. */
    mark,

    /** The next kernel copies the process's state into kernel.db. */
    resend(pid: string): void {
      mark(pid);
      const registry = inKernel((db) => registryOf(db, pid));
      const known = inTransaction(join(paths.procDir, `${pid}.db`), (db) => resend(db, pid, registry));
      // Known only to the registry, these approvals would stay open for ever.
      inKernel((db) => {
        for (const id of registry.open.filter((each) => !known.includes(each)))
          db.run(
            "UPDATE approvals SET decision = 'withdrawn', decided_by = 'kernel', decided_at = created_at WHERE process_id = ? AND request_id = ? AND decision IS NULL",
            pid,
            id,
          );
      });
    },

    reindex: (path: string): void => inTransaction(path, (db) => db.script("REINDEX")),
  };
}

function inTransaction<T>(path: string, body: (db: Db) => T): T {
  const db = new Db(path, { mode: "write" });
  try {
    return db.write("full", () => body(db));
  } finally {
    db.close();
  }
}

interface Registry {
  readonly open: readonly string[];
  readonly seq: number;
}

function registryOf(db: Db, pid: string): Registry {
  const open = db.all<{ request_id: string }>(
    "SELECT request_id FROM approvals WHERE process_id = ? AND decision IS NULL",
    pid,
  );
  const row = db.get<{ projected_seq: number }>("SELECT projected_seq FROM processes WHERE process_id = ?", pid);
  return { open: open.map((each) => each.request_id), seq: row?.projected_seq ?? 0 };
}

/** Returns the ids of the process's approvals. */
function resend(db: Db, pid: string, registry: Registry): string[] {
  const approvals = db
    .all<HilRow>("SELECT * FROM pending_hil")
    .filter((row) => row.decision === null || registry.open.includes(row.request_id))
    .map((row) => approvalFromRow(row, pid));
  const kept = db.get<{ value: string }>("SELECT value FROM process_kv WHERE key = 'outbox_seq'");
  // kernel.db ignores numbers that it has seen.
  const seq = Math.max(registry.seq, kept === null ? 0 : (JSON.parse(kept.value) as number)) + 1;
  const row: OutboxRow = { seq, projection: new HeadRow(db, "read").projection(), approvals, ended: null };
  db.run("INSERT INTO outbox (seq, body_json) VALUES (?, ?)", seq, JSON.stringify(row));
  db.run(
    "INSERT INTO process_kv (key, value) VALUES ('outbox_seq', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    String(seq),
  );
  return approvals.map((approval) => approval.id);
}
