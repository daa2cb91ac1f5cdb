// Usage of model calls: one row each, copied from the process in the transaction that also charges its budgets. Rows outlive their
// process.

import { microsOf, type Tokens, tokensOf } from "../../../abi/process/money.ts";
import type { UsageRow } from "../../../abi/process/process.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { chargeBudgets } from "./budgets.ts";

type UsageGroup = "model" | "process" | "day" | "session" | "account";

export interface UsageSum extends Tokens {
  /** Value of the grouping column. For days: the number of the quarter hour since 1970, because no time zone starts a day within one. */
  readonly key: string;
  readonly turns: number;
  /** Calls that were cut off or failed. */
  readonly wasted: number;
  readonly micros: number;
  readonly ms: number;
  /** Rows without a known price, counted as 0. */
  readonly unpriced: number;
}

export interface UsageQuery {
  readonly by: UsageGroup;
  readonly ownerUid?: number;
  readonly pid?: string;
  readonly since?: number;
  /** Exclusive. */
  readonly until?: number;
}

export interface RunUsage {
  readonly pid: string;
  readonly run: string;
  readonly model: string;
  readonly turns: number;
  readonly tokens: number;
  readonly micros: number;
  /** Time of the last turn. */
  readonly at: number;
  readonly ms: number;
}

export interface UsageRows {
  /** Newest first. */
  runs(query: {
    readonly ownerUid?: number;
    readonly pid?: string;
    readonly limit: number;
  }): Promise<readonly RunUsage[]>;
  sums(query: UsageQuery): Promise<readonly UsageSum[]>;
  /** Charges a call outside of a run: to a process, or else to the owner only, which counts against the day's budget. */
  charge(
    whose: { readonly ownerUid: number; readonly pid: string | null },
    spent: Pick<UsageRow, "model" | "usage" | "priced" | "ms"> & { readonly now: number },
  ): Promise<void>;
}

/** Placeholder for no process or no run. */
const NOBODY = "-";

/** Rows to scan per run asked for. */
const TURNS_LOOKED_AT = 50;

export const SLOT_MS = 900_000;

const KEYS: { readonly [G in UsageGroup]: string } = {
  model: "model",
  process: "process_id",
  day: `CAST(at / ${SLOT_MS} AS INTEGER)`,
  session: "coalesce(session_key, '-')",
  account: "owner_uid",
};

export function usageRows(kernel: KernelDb): UsageRows {
  const { db } = kernel;
  return {
    async sums({ by, ownerUid, pid, since, until }) {
      return db.all<UsageSum & { [column: string]: string | number }>(
        `SELECT CAST(${KEYS[by]} AS TEXT) AS key, sum(wasted = 0) AS turns, sum(wasted) AS wasted, sum(input) AS input,
           sum(output) AS output, sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite, sum(cost_micros) AS micros,
           sum(run_ms) AS ms, sum(priced = 0) AS unpriced
         FROM usage WHERE (?1 IS NULL OR owner_uid = ?1) AND (?2 IS NULL OR process_id = ?2) AND at >= ?3 AND at < ?4
         GROUP BY ${KEYS[by]} ORDER BY micros DESC, input + output DESC, key`,
        ownerUid ?? null,
        pid ?? null,
        since ?? 0,
        until ?? Number.MAX_SAFE_INTEGER,
      );
    },

    async runs({ ownerUid, pid, limit }) {
      return db.all<{ [K in keyof RunUsage]: RunUsage[K] }>(
        `SELECT process_id AS pid, run_id AS run, max(model) AS model, count(*) AS turns, sum(input + output) AS tokens,
           sum(cost_micros) AS micros, max(at) AS at, sum(run_ms) AS ms
         FROM (SELECT * FROM usage WHERE (?1 IS NULL OR owner_uid = ?1) AND (?2 IS NULL OR process_id = ?2) AND run_id <> ?4
           ORDER BY usage_id DESC LIMIT ?5)
         GROUP BY process_id, run_id ORDER BY at DESC, max(usage_id) DESC LIMIT ?3`,
        ownerUid ?? null,
        pid ?? null,
        limit,
        NOBODY,
        limit * TURNS_LOOKED_AT,
      );
    },

    async charge({ ownerUid, pid }, { model, usage, priced, ms, now: at }) {
      const row = { id: 0, runId: NOBODY, turn: 0, model, usage, priced, ms, wasted: false, at };
      kernel.write("full", () => {
        if (pid === null) putUsage(db, row, { pid: NOBODY, owner: ownerUid });
        else chargeUsage(db, pid, [row]);
      });
    },
  };
}

/** Within the transaction that copies the rows. The caller makes sure that they are new. */
export function chargeUsage(db: Db, pid: string, rows: readonly UsageRow[]): void {
  if (rows.length === 0) return;
  const owner = db.get<{ owner_uid: number }>("SELECT owner_uid FROM processes WHERE process_id = ?", pid)?.owner_uid;
  if (owner === undefined) return;
  const sum = { micros: 0, tokens: 0, ms: 0 };
  for (const row of rows) {
    putUsage(db, row, { pid, owner });
    sum.micros += microsOf(row.usage.costUsd);
    sum.tokens += tokensOf(row.usage);
    sum.ms += row.ms;
  }
  db.run(
    "UPDATE processes SET cost_micros = cost_micros + ?, tokens = tokens + ? WHERE process_id = ?",
    sum.micros,
    sum.tokens,
    pid,
  );
  chargeBudgets(db, pid, sum);
}

function putUsage(db: Db, row: UsageRow, { pid, owner }: { readonly pid: string; readonly owner: number }): void {
  const { input, output, cacheRead, cacheWrite, costUsd } = row.usage;
  db.run(
    `INSERT INTO usage (owner_uid, process_id, session_key, row_id, run_id, turn, model, input, output, cache_read, cache_write,
       cost_micros, run_ms, priced, wasted, at) VALUES (?, ?, (SELECT coalesce(session_key, id) FROM sessions WHERE pid = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[owner, pid, pid, row.id, row.runId, row.turn, row.model],
    ...[input, output, cacheRead, cacheWrite, microsOf(costUsd), row.ms],
    ...[row.priced ? 1 : 0, row.wasted ? 1 : 0, row.at],
  );
}
