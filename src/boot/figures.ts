// Where the figures of /metrics come from: sums of the stores, and the times of calls and transactions while somebody reads them.

import { usdOf } from "../abi/process/money.ts";
import { STATES } from "../abi/process/process.ts";
import type { Dispatches } from "../kernel/dispatches.ts";
import type { Clock } from "../lib/clock.ts";
import type { FigureSource, Figures } from "../serve/metrics/figures.ts";
import type { UsageTotals } from "../store/kernel/processes/figures.ts";
import { timeWrites } from "../store/open.ts";
import type { Ports } from "./core.ts";

export interface FigurePorts {
  readonly ports: Pick<Ports, "kernel" | "processes">;
  readonly dispatches: Pick<Dispatches, "timeCalls">;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly clients: () => number;
}

/** Enough to find the oldest message. */
const QUEUES_MAX = 16;

const NOTHING = { turns: 0, wasted: 0, unpriced: 0, micros: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function figureSource({
  ports: { kernel, processes },
  dispatches,
  clock,
  startedAt,
  clients,
}: FigurePorts): FigureSource {
  const { figures } = kernel;
  let used: UsageTotals | null = null;

  async function usage(): Promise<Figures["usage"]> {
    used ??= { ...NOTHING, lastId: await figures.lastUsage() };
    const more = await figures.usageAfter(used.lastId);
    const before = used;
    const sum = (of: keyof typeof NOTHING) => before[of] + more[of];
    used = {
      lastId: more.lastId,
      ...{ turns: sum("turns"), wasted: sum("wasted"), unpriced: sum("unpriced"), micros: sum("micros") },
      ...{ input: sum("input"), output: sum("output") },
      ...{ cacheRead: sum("cacheRead"), cacheWrite: sum("cacheWrite") },
    };
    const { turns, wasted, unpriced, micros, input, output, cacheRead, cacheWrite } = used;
    const tokens = { input, output, cache_read: cacheRead, cache_write: cacheWrite };
    return { turns, wasted, unpriced, costUsd: usdOf(micros), tokens };
  }

  async function queue(): Promise<Figures["queue"]> {
    const { messages, pids } = await figures.queued(QUEUES_MAX);
    const since = await Promise.all(pids.map((pid) => processes.queuedSince(pid)));
    return { messages, oldestAt: oldest(since.filter((at) => at !== null)) };
  }

  return {
    watch({ call, write }) {
      const stops = [dispatches.timeCalls(call), timeWrites({ mono: () => clock.mono(), wrote: write })];
      return () => {
        for (const stop of stops) stop();
      };
    },
    async read() {
      const tally = await kernel.processes.tally();
      const waiting = await figures.waiting();
      const cpu = process.cpuUsage();
      return {
        startedAt,
        states: STATES.map((state) => [state, tally.get(state) ?? 0] as const),
        queue: await queue(),
        approvals: {
          waiting: (["approval", "question"] as const).map((kind) => [kind, countOf(waiting, kind)] as const),
          oldestAt: oldest(waiting.map(({ oldestAt }) => oldestAt)),
        },
        usage: await usage(),
        clients: clients(),
        memoryBytes: process.memoryUsage.rss(),
        cpuSeconds: (cpu.user + cpu.system) / 1e6,
      };
    },
  };
}

function countOf(waiting: readonly { readonly kind: string; readonly count: number }[], kind: string): number {
  return waiting.find((each) => each.kind === kind)?.count ?? 0;
}

function oldest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times);
}
