// Sums over all processes, for metrics: each is one query over an index or few rows.

import type { KernelDb } from "../db.ts";

export interface UsageTotals {
  /** The last row counted. */
  readonly lastId: number;
  readonly turns: number;
  readonly wasted: number;
  readonly unpriced: number;
  readonly micros: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface FigureRows {
  /** Queued messages, and the processes at work that have some, longest unchanged first. */
  queued(limit: number): Promise<{ readonly messages: number; readonly pids: readonly string[] }>;
  /** Open approvals and questions, with the time of the oldest. */
  waiting(): Promise<readonly { readonly kind: string; readonly count: number; readonly oldestAt: number }[]>;
  lastUsage(): Promise<number>;
  usageAfter(id: number): Promise<UsageTotals>;
}

export function figureRows({ db }: KernelDb): FigureRows {
  return {
    async queued(limit) {
      const messages = db.get<{ n: number | null }>(
        "SELECT sum(queued_count) AS n FROM processes WHERE queued_count > 0 AND phase = 'live'",
      );
      const rows = db.all<{ process_id: string }>(
        `SELECT process_id FROM processes WHERE queued_count > 0 AND phase = 'live' AND state IN ('queued', 'running', 'waiting_tool')
         ORDER BY last_active_at LIMIT ?`,
        limit,
      );
      return { messages: messages?.n ?? 0, pids: rows.map(({ process_id }) => process_id) };
    },
    waiting: async () =>
      db.all(
        "SELECT kind, count(*) AS count, min(created_at) AS oldestAt FROM approvals WHERE decision IS NULL GROUP BY kind",
      ),
    lastUsage: async () => db.get<{ id: number | null }>("SELECT max(usage_id) AS id FROM usage")?.id ?? 0,
    async usageAfter(id) {
      const row = db.get<{ readonly [K in keyof UsageTotals]: number | null }>(
        `SELECT max(usage_id) AS lastId, count(*) - coalesce(sum(wasted), 0) AS turns, sum(wasted) AS wasted,
           sum(CASE WHEN priced = 0 THEN 1 ELSE 0 END) AS unpriced, sum(cost_micros) AS micros,
           sum(input) AS input, sum(output) AS output, sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite
         FROM usage WHERE usage_id > ?`,
        id,
      );
      const of = (name: keyof UsageTotals) => row?.[name] ?? 0;
      return {
        ...{ lastId: Math.max(id, of("lastId")), turns: of("turns"), wasted: of("wasted"), unpriced: of("unpriced") },
        ...{ micros: of("micros"), input: of("input"), output: of("output") },
        ...{ cacheRead: of("cacheRead"), cacheWrite: of("cacheWrite") },
      };
    },
  };
}
