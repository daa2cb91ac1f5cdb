// The smaller tables of the control plane: approvals as projected, archives, run routes, answered requests, the audit log.

import { LIMITS } from "../../abi/limits.ts";
import type { Approval } from "../../abi/process.ts";
import type { Db } from "../open.ts";
import type { KernelDb } from "./db.ts";

/** Where a page of a list ended: the instant a row was made, and its id among those of the same instant. */
export interface ListPlace {
  readonly createdAt: number;
  readonly id: string;
}

export interface ApprovalRows {
  /** Oldest first, after a place in that order. */
  open(query: {
    readonly ownerUid?: number;
    readonly after?: ListPlace;
    readonly limit?: number;
  }): Promise<readonly Approval[]>;
  /** The latest of that id, open or decided, with whose it is. */
  find(id: string): Promise<{ readonly approval: Approval; readonly ownerUid: number } | null>;
  /** Closes what a process asked that cannot take an answer any more. */
  withdraw(pid: string, now: number): Promise<void>;
  /** Decided ones are kept for a while, to tell who decided. */
  sweep(now: number): Promise<void>;
}

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
    readonly after?: ListPlace;
    readonly limit: number;
  }): Promise<readonly ArchiveRow[]>;
  /** Oldest first. */
  olderThan(instant: number, limit: number): Promise<readonly ArchiveRow[]>;
  /** The row alone; its bytes have gone before. */
  remove(id: string): Promise<void>;
}

export interface RouteRows {
  add(route: {
    readonly runId: string;
    readonly uid: number;
    readonly connectionId: string;
    readonly pid: string;
    readonly now: number;
  }): Promise<void>;
  /** Which client started which run, for the next kernel. */
  all(): Promise<readonly { readonly runId: string; readonly connectionId: string }[]>;
  sweep(now: number): Promise<void>;
}

/** A call that was carried out, by its own id, and what it answered. */
export interface AnsweredRequest {
  readonly uid: number;
  readonly requestId: string;
  readonly bodyHash: string;
  readonly answer: unknown;
  readonly now: number;
}

export interface RequestRows {
  answered(
    uid: number,
    requestId: string,
    bodyHash: string,
  ): Promise<{ readonly answer: unknown; readonly sameBody: boolean } | null>;
  remember(row: AnsweredRequest): Promise<void>;
  sweep(now: number): Promise<void>;
}

export interface AuditRow {
  readonly at: number;
  readonly uid: number;
  readonly pid: string | null;
  readonly call: string;
  readonly outcome: string;
  readonly detail: string;
}

export interface AuditQuery {
  /** Whose rows; all when left out. */
  readonly uids?: readonly number[];
  readonly denied: boolean;
  readonly since: number;
  readonly limit: number;
}

export interface AuditRows {
  add(row: AuditRow): Promise<void>;
  /** The newest that match, oldest first. */
  list(query: AuditQuery): Promise<readonly (AuditRow & { readonly id: number })[]>;
  /** Keeps the newest; of those, what is older than an instant goes too, so many rows at once. */
  sweep(old?: { readonly before: number; readonly rowsMax: number }): Promise<void>;
}

type ApprovalColumns = {
  readonly request_id: string;
  readonly process_id: string;
  readonly owner_uid: number;
  readonly run_id: string;
  readonly tool: string;
  readonly call: string;
  readonly args_json: string;
  readonly why: string;
  readonly created_at: number;
  readonly decision: Approval["decision"];
  readonly decided_by: string | null;
  readonly decided_at: number | null;
};

export function approvalRows(kernel: KernelDb): ApprovalRows {
  const { db } = kernel;
  return {
    async withdraw(pid, now) {
      kernel.write("full", () =>
        db.run(
          "UPDATE approvals SET decision = 'withdrawn', decided_by = 'kernel', decided_at = ? WHERE process_id = ? AND decision IS NULL",
          now,
          pid,
        ),
      );
    },
    async sweep(now) {
      kernel.write("normal", () =>
        db.run("DELETE FROM approvals WHERE decided_at < ?", now - LIMITS.decidedApprovalsKeptMs),
      );
    },
    async open({ ownerUid, after, limit }) {
      const rows = db.all<ApprovalColumns>(
        `SELECT * FROM approvals WHERE decision IS NULL AND (?1 IS NULL OR owner_uid = ?1) AND (created_at, request_id) > (?2, ?3)
         ORDER BY created_at, request_id LIMIT ?4`,
        ownerUid ?? null,
        after?.createdAt ?? -1,
        after?.id ?? "",
        limit ?? -1,
      );
      return rows.map(toApproval);
    },
    async find(id) {
      const row = db.get<ApprovalColumns>(
        "SELECT * FROM approvals WHERE request_id = ? ORDER BY decision IS NULL DESC, created_at DESC LIMIT 1",
        id,
      );
      return row === null ? null : { approval: toApproval(row), ownerUid: row.owner_uid };
    },
  };
}

function toApproval(row: ApprovalColumns): Approval {
  return {
    id: row.request_id,
    pid: row.process_id,
    runId: row.run_id,
    tool: row.tool,
    call: row.call,
    args: JSON.parse(row.args_json) as Approval["args"],
    why: row.why,
    createdAt: row.created_at,
    decision: row.decision,
    by: row.decided_by,
    decidedAt: row.decided_at,
  };
}

const ARCHIVE_COLUMNS =
  "archive_id AS id, process_id AS pid, owner_uid AS ownerUid, object_key AS key, reason, messages, lines, undelivered, bytes, sha256, created_at AS createdAt";

export function archiveRows(kernel: KernelDb): ArchiveRows {
  const { db } = kernel;
  return {
    async add(row) {
      kernel.write("full", () =>
        db.run(
          `INSERT OR REPLACE INTO archives (archive_id, process_id, owner_uid, object_key, reason, messages, lines, undelivered, bytes, sha256, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          row.id,
          row.pid,
          row.ownerUid,
          row.key,
          row.reason,
          row.messages,
          row.lines,
          row.undelivered,
          row.bytes,
          row.sha256,
          row.createdAt,
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

export function routeRows(kernel: KernelDb): RouteRows {
  const { db } = kernel;
  return {
    async add({ runId, uid, connectionId, pid, now }) {
      kernel.write("normal", () =>
        db.run(
          `INSERT OR REPLACE INTO run_routes (run_id, route_kind, uid, connection_id, process_id, created_at, expires_at)
           VALUES (?, 'client', ?, ?, ?, ?, ?)`,
          runId,
          uid,
          connectionId,
          pid,
          now,
          now + LIMITS.runRoutesKeptMs,
        ),
      );
    },
    async all() {
      return db.all<{ runId: string; connectionId: string }>(
        "SELECT run_id AS runId, connection_id AS connectionId FROM run_routes",
      );
    },
    async sweep(now) {
      kernel.write("normal", () => db.run("DELETE FROM run_routes WHERE expires_at < ?", now));
    },
  };
}

export function requestRows(kernel: KernelDb): RequestRows {
  const { db } = kernel;
  return {
    async answered(uid, requestId, bodyHash) {
      const row = db.get<{ body_hash: string; answer_json: string }>(
        "SELECT body_hash, answer_json FROM requests WHERE uid = ? AND request_id = ?",
        uid,
        requestId,
      );
      return row === null
        ? null
        : { answer: JSON.parse(row.answer_json) as unknown, sameBody: row.body_hash === bodyHash };
    },
    async remember(row) {
      kernel.write("full", (tx) => putRequest(tx, row));
    },
    async sweep(now) {
      kernel.write("normal", () => db.run("DELETE FROM requests WHERE created_at < ?", now - LIMITS.requestsKeptMs));
    },
  };
}

/** Part of a transaction that makes the answer true. The first answer to a request stays. */
export function putRequest(tx: Db, { uid, requestId, bodyHash, answer, now }: AnsweredRequest): void {
  tx.run(
    "INSERT OR IGNORE INTO requests (uid, request_id, body_hash, answer_json, created_at) VALUES (?, ?, ?, ?, ?)",
    uid,
    requestId,
    bodyHash,
    JSON.stringify(answer),
    now,
  );
}

export function auditRows(kernel: KernelDb): AuditRows {
  const { db } = kernel;
  return {
    async list({ uids, denied, since, limit }) {
      const rows = db.all<{ [K in keyof AuditRow]: AuditRow[K] } & { id: number }>(
        `SELECT id, at, uid, pid, call, outcome, detail FROM audit
         WHERE at >= ?1 AND (?2 = 0 OR outcome <> 'ok') AND (?3 IS NULL OR uid IN (SELECT value FROM json_each(?3)))
         ORDER BY id DESC LIMIT ?4`,
        since,
        denied ? 1 : 0,
        uids === undefined ? null : JSON.stringify(uids),
        limit,
      );
      return rows.reverse();
    },
    async sweep(old) {
      kernel.write("normal", () => {
        db.run("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", LIMITS.auditRowsMax);
        if (old === undefined) return;
        const oldest = "SELECT id FROM audit WHERE at < ? ORDER BY id LIMIT ?";
        db.run(`DELETE FROM audit WHERE id IN (${oldest})`, old.before, old.rowsMax);
      });
    },
    async add(row) {
      kernel.write("normal", () =>
        db.run(
          "INSERT INTO audit (at, uid, pid, call, outcome, detail) VALUES (?, ?, ?, ?, ?, ?)",
          row.at,
          row.uid,
          row.pid,
          row.call,
          row.outcome,
          row.detail,
        ),
      );
    },
  };
}
