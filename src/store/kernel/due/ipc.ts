// Calls between processes. A call ends once: with the reply, at its deadline, or with one of its processes.

import type { IpcCall, IpcStatus, ReplyAs } from "../../../abi/ipc.ts";
import { HOPS_MAX } from "../../../abi/process/cause.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { type Columns, textOrNull } from "./columns.ts";

export interface IpcRow extends IpcCall {
  /** The owner of both processes. */
  readonly ownerUid: number;
  readonly requestKey: string;
  readonly sourceRunId: string | null;
  /** Null until the other process has the message. */
  readonly targetRunId: string | null;
  readonly message: string;
  readonly replyAs: ReplyAs;
  readonly response: string | null;
  readonly error: string | null;
}

export type Opened =
  | { readonly row: IpcRow }
  /** Processes that would wait for each other; the first one is also the last. */
  | { readonly ring: readonly string[] }
  /** Processes that would wait, each for the next; too many. */
  | { readonly chain: readonly string[] };

export interface IpcEnd {
  readonly status: Exclude<IpcStatus, "open">;
  readonly response: string | null;
  readonly error: string | null;
}

export type Waiting = Pick<IpcRow, "id" | "targetPid" | "deadlineAt"> & { readonly sourcePid: string };

export interface IpcRows {
  /** Returns the stored row if the request already made a call. */
  open(row: IpcRow): Promise<Opened>;
  get(id: string): Promise<IpcRow | null>;
  sent(id: string, targetRunId: string): Promise<void>;
  /** The message could not be delivered. */
  remove(id: string): Promise<void>;
  /** Null if the call is over already. */
  finish(id: string, end: IpcEnd, now: number): Promise<IpcRow | null>;
  /** Ends the calls of a process that is gone. */
  cancel(sourcePid: string, now: number): Promise<readonly IpcRow[]>;
  /** The run no longer waits: its calls are answered with the next message. */
  detach(sourcePid: string, runId: string): Promise<void>;
  delivered(id: string, now: number): Promise<void>;
  /** Open calls, and ended ones whose reply or withdrawal is not done; oldest first. */
  unsettled(): Promise<readonly IpcRow[]>;
  /** Processes that wait for another one. */
  waiting(): Promise<readonly Waiting[]>;
  sweep(before: number): Promise<void>;
}

export function ipcRows(kernel: KernelDb): IpcRows {
  const { db } = kernel;
  return {
    async open(row) {
      return kernel.write("full", () => open(db, row));
    },
    async get(id) {
      const row = db.get<Columns>("SELECT * FROM ipc_calls WHERE call_id = ?", id);
      return row === null ? null : rowFrom(row);
    },
    async sent(id, targetRunId) {
      kernel.write("full", () => db.run("UPDATE ipc_calls SET target_run_id = ? WHERE call_id = ?", targetRunId, id));
    },
    async remove(id) {
      kernel.write("full", () => db.run("DELETE FROM ipc_calls WHERE call_id = ? AND status = 'open'", id));
    },
    async finish(id, { status, response, error }, now) {
      return kernel.write("full", () => {
        const row = db.get<Columns>(
          `UPDATE ipc_calls SET status = ?, response = ?, error = ?, updated_at = ?
           WHERE call_id = ? AND status = 'open' RETURNING *`,
          ...[status, response, error, now, id],
        );
        return row === null ? null : rowFrom(row);
      });
    },
    async cancel(sourcePid, now) {
      if (!isAny(db, "status = 'open' AND source_pid = ?", sourcePid)) return [];
      return kernel.write("full", () =>
        db
          .all<Columns>(
            "UPDATE ipc_calls SET status = 'cancelled', updated_at = ? WHERE status = 'open' AND source_pid = ? RETURNING *",
            now,
            sourcePid,
          )
          .map(rowFrom),
      );
    },
    async detach(sourcePid, runId) {
      const which = "status = 'open' AND reply_as = 'result' AND source_pid = ? AND source_run_id = ?";
      if (!isAny(db, which, sourcePid, runId)) return;
      kernel.write("full", () => db.run(`UPDATE ipc_calls SET reply_as = 'note' WHERE ${which}`, sourcePid, runId));
    },
    async delivered(id, now) {
      kernel.write("normal", () => db.run("UPDATE ipc_calls SET delivered_at = ? WHERE call_id = ?", now, id));
    },
    unsettled: async () =>
      db
        .all<Columns>(
          `SELECT * FROM ipc_calls WHERE status = 'open'
           OR (delivered_at IS NULL AND (status = 'timeout' OR (reply_as <> 'result' AND status <> 'cancelled')))
           ORDER BY created_at, rowid`,
        )
        .map(rowFrom),
    waiting: async () => waiting(db),
    async sweep(before) {
      kernel.write("normal", () => db.run("DELETE FROM ipc_calls WHERE status <> 'open' AND updated_at < ?", before));
    },
  };
}

/** Within a transaction: ends the calls whose deadline has come. */
export function claimDeadlines(db: Db, now: number): readonly IpcRow[] {
  const ended = db.all<Columns>(
    "UPDATE ipc_calls SET status = 'timeout', updated_at = ?1 WHERE status = 'open' AND deadline_at <= ?1 RETURNING *",
    now,
  );
  return ended.map(rowFrom);
}

function isAny(db: Db, which: string, ...values: string[]): boolean {
  return db.get(`SELECT 1 AS one FROM ipc_calls WHERE ${which} LIMIT 1`, ...values) !== null;
}

function open(db: Db, row: IpcRow): Opened {
  const known = db.get<Columns>("SELECT * FROM ipc_calls WHERE request_key = ?", row.requestKey);
  if (known !== null) return { row: rowFrom(known) };
  if (row.sourcePid !== null && row.replyAs === "result") {
    const edges = waiting(db);
    const ring = pathFrom(edges, row.targetPid, row.sourcePid);
    if (ring !== null) return { ring: [row.sourcePid, ...ring] };
    const ahead = longest(edges, row.targetPid, "sourcePid", "targetPid");
    const behind = longest(edges, row.sourcePid, "targetPid", "sourcePid");
    const chain = [...behind.toReversed(), ...ahead];
    if (chain.length - 1 > HOPS_MAX) return { chain };
  }
  db.insert("ipc_calls", {
    ...{ call_id: row.id, uid: row.ownerUid, request_key: row.requestKey, source_pid: row.sourcePid },
    ...{ source_run_id: row.sourceRunId, target_pid: row.targetPid, target_run_id: row.targetRunId },
    ...{ message: row.message, reply_as: row.replyAs, status: row.status, deadline_at: row.deadlineAt },
    ...{ created_at: row.createdAt, updated_at: row.createdAt, response: null, error: null, delivered_at: null },
  });
  return { row };
}

function waiting(db: Db): readonly Waiting[] {
  return db.all<Waiting>(
    `SELECT call_id AS id, source_pid AS sourcePid, target_pid AS targetPid, deadline_at AS deadlineAt FROM ipc_calls
     WHERE status = 'open' AND reply_as = 'result' AND source_pid IS NOT NULL ORDER BY created_at, rowid`,
  );
}

/** The processes from one to the other, each waiting for the next; null if there is no such chain. */
function pathFrom(edges: readonly Waiting[], from: string, to: string): readonly string[] | null {
  const seen = new Set<string>();
  function path(at: string): readonly string[] | null {
    if (at === to) return [at];
    seen.add(at);
    for (const { sourcePid, targetPid } of edges) {
      const rest = sourcePid === at && !seen.has(targetPid) ? path(targetPid) : null;
      if (rest !== null) return [at, ...rest];
    }
    return null;
  }
  return path(from);
}

type End = "sourcePid" | "targetPid";

/** The longest chain from a process, itself included. The calls contain no rings. */
function longest(edges: readonly Waiting[], at: string, from: End, to: End): readonly string[] {
  const chains = edges.filter((edge) => edge[from] === at).map((edge) => longest(edges, edge[to], from, to));
  return [at, ...chains.reduce<readonly string[]>((best, each) => (each.length > best.length ? each : best), [])];
}

function rowFrom(row: Columns): IpcRow {
  return {
    ...{ id: String(row.call_id), ownerUid: Number(row.uid), requestKey: String(row.request_key) },
    ...{ sourcePid: textOrNull(row.source_pid), sourceRunId: textOrNull(row.source_run_id) },
    ...{ targetPid: String(row.target_pid), targetRunId: textOrNull(row.target_run_id), message: String(row.message) },
    ...{ replyAs: row.reply_as as ReplyAs, status: row.status as IpcStatus, deadlineAt: Number(row.deadline_at) },
    ...{ createdAt: Number(row.created_at), response: textOrNull(row.response), error: textOrNull(row.error) },
  };
}
