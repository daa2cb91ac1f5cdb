// Budgets and their usage. A process spends from the budget it was started in and from all budgets above. A budget stays while any
// process or budget below needs it, even if its own process is gone, so no process can escape its budget.

import { type Amounts, type BudgetChange, changed, type Limits } from "../../../abi/process/budget.ts";
import type { Receipt } from "../../../objects/objects.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { putRequest } from "../requests.ts";

export interface BudgetRow {
  readonly id: number;
  readonly parentId: number | null;
  /** The process may be gone. */
  readonly pid: string;
  readonly ownerUid: number;
  readonly limits: Limits;
  readonly used: Amounts;
  readonly createdAt: number;
}

/** Budget of a process that is being created. */
export interface NewBudget {
  readonly limits: Limits | null;
  readonly parentId: number | null;
}

export interface BudgetRows {
  /** Budgets the process spends from, its own first. */
  above(pid: string): Promise<readonly BudgetRow[]>;
  /** The process's own budget, even if the process is gone. */
  of(pid: string): Promise<BudgetRow | null>;
  /** Oldest first. */
  list(ownerUid?: number): Promise<readonly BudgetRow[]>;
  /** Stores the answer to the request in the same transaction. Throws what `changed` throws. */
  change(
    pid: string,
    change: BudgetChange,
    about: { readonly now: number; readonly request: (row: BudgetRow | null) => Receipt | null },
  ): Promise<BudgetRow | null>;
}

type Columns = {
  readonly budget_id: number;
  readonly parent_id: number | null;
  readonly process_id: string;
  readonly owner_uid: number;
  readonly max_micros: number | null;
  readonly max_tokens: number | null;
  readonly max_ms: number | null;
  readonly used_micros: number;
  readonly used_tokens: number;
  readonly used_ms: number;
  readonly created_at: number;
};

const ABOVE = `WITH RECURSIVE above (budget_id, depth) AS (
    SELECT budget_id, 0 FROM processes WHERE process_id = ?1 AND budget_id IS NOT NULL
    UNION ALL SELECT b.parent_id, depth + 1 FROM above JOIN budgets b USING (budget_id) WHERE b.parent_id IS NOT NULL
  )`;

export function budgetRows(kernel: KernelDb): BudgetRows {
  const { db } = kernel;
  return {
    above: async (pid) =>
      db
        .all<Columns>(`${ABOVE} SELECT b.* FROM above JOIN budgets b USING (budget_id) ORDER BY depth`, pid)
        .map(fromColumns),
    of: async (pid) => own(db, pid),
    list: async (ownerUid) =>
      db
        .all<Columns>("SELECT * FROM budgets WHERE (?1 IS NULL OR owner_uid = ?1) ORDER BY budget_id", ownerUid ?? null)
        .map(fromColumns),
    async change(pid, change, { now, request }) {
      return kernel.write("full", () => {
        const before = own(db, pid);
        const limits = changed(before?.limits ?? null, change);
        if (limits === null) drop(db, before);
        else if (before === null) begin(db, pid, limits, now);
        else setLimits(db, before.id, limits);
        const after = own(db, pid);
        const answered = request(after);
        if (answered !== null) putRequest(db, answered);
        return after;
      });
    },
  };
}

function own(db: Db, pid: string): BudgetRow | null {
  const row = db.get<Columns>("SELECT * FROM budgets WHERE process_id = ? ORDER BY budget_id DESC LIMIT 1", pid);
  return row === null ? null : fromColumns(row);
}

// The process and its descendants: those that spent from the same budget now spend from the new one, and their own budgets move below it.
const BELOW = `WITH RECURSIVE below (process_id) AS (
    SELECT ?1 UNION SELECT p.process_id FROM below JOIN processes p ON p.parent_pid = below.process_id
  ), spent (budget_id) AS (
    SELECT budget_id FROM processes JOIN below USING (process_id) WHERE budget_id IS NOT NULL
    UNION SELECT b.parent_id FROM spent JOIN budgets b USING (budget_id) WHERE b.parent_id IS NOT NULL
  )`;

function begin(db: Db, pid: string, limits: Limits, now: number): void {
  const row = db.get<{ owner_uid: number; budget_id: number | null }>(
    "SELECT owner_uid, budget_id FROM processes WHERE process_id = ?",
    pid,
  );
  if (row === null) return;
  const id = putBudget(db, { pid, ownerUid: row.owner_uid, limits, parentId: row.budget_id, now });
  db.run(
    `${BELOW} UPDATE budgets SET parent_id = ?2
     WHERE budget_id <> ?2 AND parent_id IS ?3 AND budget_id IN (SELECT budget_id FROM spent)`,
    pid,
    id,
    row.budget_id,
  );
  db.run(
    `${BELOW} UPDATE processes SET budget_id = ?2 WHERE budget_id IS ?3 AND process_id IN (SELECT process_id FROM below)`,
    pid,
    id,
    row.budget_id,
  );
}

function setLimits(db: Db, id: number, { micros, tokens, ms }: Limits): void {
  db.run(
    "UPDATE budgets SET max_micros = ?, max_tokens = ?, max_ms = ? WHERE budget_id = ?",
    ...[micros, tokens, ms, id],
  );
}

/** Whatever spent from it spends from its parent. */
function drop(db: Db, budget: BudgetRow | null): void {
  if (budget === null) return;
  db.run("UPDATE processes SET budget_id = ? WHERE budget_id = ?", budget.parentId, budget.id);
  db.run("UPDATE budgets SET parent_id = ? WHERE parent_id = ?", budget.parentId, budget.id);
  db.run("DELETE FROM budgets WHERE budget_id = ?", budget.id);
}

interface Put {
  readonly pid: string;
  readonly ownerUid: number;
  readonly limits: Limits;
  readonly parentId: number | null;
  readonly now: number;
}

/** Within a transaction; returns the id. */
export function putBudget(db: Db, { pid, ownerUid, limits, parentId, now }: Put): number {
  const row = db.get<{ budget_id: number }>(
    `INSERT INTO budgets (parent_id, process_id, owner_uid, max_micros, max_tokens, max_ms, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING budget_id`,
    ...[parentId, pid, ownerUid, limits.micros, limits.tokens, limits.ms, now],
  );
  if (row === null) throw new Error("a budget was not stored");
  return row.budget_id;
}

/** Within the transaction that stores the usage. */
export function chargeBudgets(db: Db, pid: string, { micros, tokens, ms }: Amounts): void {
  db.run(
    `${ABOVE} UPDATE budgets SET used_micros = used_micros + ?2, used_tokens = used_tokens + ?3, used_ms = used_ms + ?4
     WHERE budget_id IN (SELECT budget_id FROM above)`,
    ...[pid, micros, tokens, ms],
  );
}

/** Within the transaction that removes a process: deletes budgets that limit nothing. */
export function forgetBudgets(db: Db): void {
  const unused = `DELETE FROM budgets WHERE budget_id NOT IN (SELECT budget_id FROM processes WHERE budget_id IS NOT NULL)
    AND budget_id NOT IN (SELECT parent_id FROM budgets WHERE parent_id IS NOT NULL)`;
  while (db.run(unused) > 0);
}

function fromColumns(row: Columns): BudgetRow {
  return {
    id: row.budget_id,
    parentId: row.parent_id,
    pid: row.process_id,
    ownerUid: row.owner_uid,
    limits: { micros: row.max_micros, tokens: row.max_tokens, ms: row.max_ms },
    used: { micros: row.used_micros, tokens: row.used_tokens, ms: row.used_ms },
    createdAt: row.created_at,
  };
}
