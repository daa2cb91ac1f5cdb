// Usage and budgets, read from kernel.db alone, so it works without a kernel. Accounts see their own, root sees all.

import { LIMITS } from "../abi/config/limits.ts";
import { type Caller, isRoot } from "../abi/identity.ts";
import {
  type Amounts,
  budgetStated,
  budgetText,
  isBounded,
  type Limits,
  NOTHING,
  narrower,
  plus,
  shareOf,
  UNLIMITED,
} from "../abi/process/budget.ts";
import { usdOf } from "../abi/process/money.ts";
import { KernelNeeded } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { dayBegan, dayEnds, dayOf } from "../lib/text/days.ts";
import { fitting } from "../lib/text/fitting.ts";
import type { BudgetRow } from "../store/kernel/processes/budgets.ts";
import { SLOT_MS, type UsageSum } from "../store/kernel/processes/usage.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { BudgetInfo, BudgetService, UsageBy, UsageInfo, UsageReports } from "../syscalls/system/spending.ts";
import { killOf, visibleProcess } from "./registry.ts";
import { settingsFor } from "./settings/config.ts";
import { beginningOf, zoneOf } from "./since.ts";

export interface SpendingOptions {
  readonly kernel: KernelStore;
  readonly clock: Clock;
  /** No kernel runs: usage that processes have not handed on is missing. */
  readonly atRest?: true;
}

export function usageReports({ kernel, clock, atRest }: SpendingOptions): UsageReports {
  return {
    async runs(caller, { pid, limit }) {
      const whose = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const runs = await kernel.usage.runs({ ...whose, ...(pid === undefined ? {} : { pid }), limit });
      // Runs outlive their process; without any, the process must exist or have been killed.
      if (pid !== undefined && runs.length === 0 && (await killOf(kernel, caller, pid)) === null)
        await visibleProcess(kernel, caller, pid);
      return {
        runs: await Promise.all(
          runs.map(async ({ micros, ...run }) => {
            const label = (await kernel.processes.get(run.pid))?.label ?? null;
            return { ...run, label, costUsd: usdOf(micros) };
          }),
        ),
      };
    },

    async sums({ caller, client }, { by, since, pid, after }) {
      if (atRest && (await kernel.processes.unfinished()).length > 0) throw new KernelNeeded();
      const asker = { uid: caller.ownerUid, client };
      const zone = await zoneOf(kernel.config, asker);
      const from = since === undefined ? {} : { since: await beginningOf(kernel.config, asker, since, clock.now()) };
      const whose = { ...(isRoot(caller) ? {} : { ownerUid: caller.ownerUid }), ...(pid === undefined ? {} : { pid }) };
      const sums = await kernel.usage.sums({ by, ...whose, ...from });
      // Usage outlives its process; without any, the process has to exist.
      if (pid !== undefined && sums.length === 0 && (await kernel.usage.sums({ by, ...whose })).length === 0)
        await visibleProcess(kernel, caller, pid);
      const rows = by === "day" ? byDay(sums, zone) : sums;
      const first = Number(after ?? 0);
      const infos = rows.slice(first).map((sum) => usageInfo(by, sum));
      const page = fitting(infos, LIMITS.answerBytesMax);
      const to = first + page.length;
      return {
        rows: await Promise.all(page.map((row) => named(kernel, row))),
        total: usageInfo(by, rows.reduce(added, { ...NONE, key: "total" })),
        next: to < rows.length ? String(to) : null,
      };
    },
  };
}

const NO_AMOUNTS = {
  turns: 0,
  wasted: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  micros: 0,
  ms: 0,
  unpriced: 0,
};
const AMOUNTS = Object.keys(NO_AMOUNTS) as readonly (keyof typeof NO_AMOUNTS)[];
const NONE: UsageSum = { key: "", ...NO_AMOUNTS };

function added(left: UsageSum, right: UsageSum): UsageSum {
  const amounts = AMOUNTS.map((name) => [name, left[name] + right[name]] as const);
  return { ...left, ...Object.fromEntries(amounts) };
}

function byDay(slots: readonly UsageSum[], zone: string): UsageSum[] {
  const days = new Map<string, UsageSum>();
  for (const slot of slots) {
    const key = dayOf(Number(slot.key) * SLOT_MS, zone);
    days.set(key, added(days.get(key) ?? { ...NONE, key }, slot));
  }
  return [...days.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
}

function usageInfo(by: UsageBy, { micros, ms, ...sum }: UsageSum): UsageInfo {
  return { by, label: null, ...sum, costUsd: usdOf(micros), runMs: ms };
}

async function named(kernel: KernelStore, row: UsageInfo): Promise<UsageInfo> {
  if (row.by === "process") return { ...row, label: (await kernel.processes.get(row.key))?.label ?? null };
  if (row.by !== "account") return row;
  return { ...row, key: (await kernel.accounts.byUid(Number(row.key)))?.username ?? row.key };
}

export interface DayBudget {
  readonly limits: Limits;
  readonly zone: string;
}

/** Counts stored settings only: a client must not raise its own limits. Root's setting limits everyone. */
export async function dayBudget({ config }: Pick<KernelStore, "config">, ownerUid: number): Promise<DayBudget | null> {
  const setting = await settingsFor(config, { uid: ownerUid, client: undefined });
  const limits = setting("budget.day")
    .layers.filter(({ text }) => text !== "")
    .map(({ text }) => budgetStated(text))
    .reduce(narrower, UNLIMITED);
  return isBounded(limits) ? { limits, zone: setting("userTimezone").text } : null;
}

/** Default budget of a new task. */
export async function taskBudget({ config }: Pick<KernelStore, "config">, ownerUid: number): Promise<Limits | null> {
  const setting = await settingsFor(config, { uid: ownerUid, client: undefined });
  const { text } = setting("budget.task");
  return text === "" ? null : budgetStated(text);
}

export function amountsIn(sums: readonly UsageSum[]): Amounts {
  return sums
    .map(({ micros, ms, input, output, cacheRead, cacheWrite }) => ({
      micros,
      ms,
      tokens: input + output + cacheRead + cacheWrite,
    }))
    .reduce(plus, NOTHING);
}

export function budgetsShown({ kernel, clock }: SpendingOptions): Pick<BudgetService, "list"> {
  return {
    async list(caller, pid) {
      const ownerUid = pid === undefined ? caller.ownerUid : (await visibleProcess(kernel, caller, pid)).ownerUid;
      const rows = pid === undefined ? await ofCaller(kernel, caller) : await kernel.budgets.above(pid);
      const day = await dayShown(kernel, ownerUid, clock.now());
      const budgets = await budgetInfos(kernel, rows);
      return { budgets: fitting(day === null ? budgets : [...budgets, day], LIMITS.answerBytesMax) };
    },
  };
}

function ofCaller({ budgets }: KernelStore, caller: Caller): Promise<readonly BudgetRow[]> {
  return isRoot(caller) ? budgets.list() : budgets.list(caller.ownerUid);
}

async function budgetInfos(kernel: KernelStore, rows: readonly BudgetRow[]): Promise<BudgetInfo[]> {
  const all = new Map((await kernel.budgets.list()).map((row) => [row.id, row.pid]));
  return await Promise.all(
    rows.map(async ({ pid, ownerUid, parentId, limits, used }) => ({
      pid,
      owner: await nameOf(kernel, ownerUid),
      under: parentId === null ? null : (all.get(parentId) ?? null),
      ...amountsShown(limits, used),
      until: null,
    })),
  );
}

async function dayShown(kernel: KernelStore, ownerUid: number, now: number): Promise<BudgetInfo | null> {
  const day = await dayBudget(kernel, ownerUid);
  if (day === null) return null;
  const sums = await kernel.usage.sums({ by: "account", ownerUid, since: dayBegan(now, day.zone) });
  const owner = await nameOf(kernel, ownerUid);
  const until = dayEnds(now, day.zone);
  return { pid: null, owner, under: null, ...amountsShown(day.limits, amountsIn(sums)), until };
}

function amountsShown(limits: Limits, used: Amounts) {
  return {
    budget: budgetText(limits),
    maxUsd: limits.micros === null ? null : usdOf(limits.micros),
    maxTokens: limits.tokens,
    maxMs: limits.ms,
    usedUsd: usdOf(used.micros),
    usedTokens: used.tokens,
    usedMs: used.ms,
    share: shareOf(limits, used),
  };
}

async function nameOf({ accounts }: KernelStore, uid: number): Promise<string> {
  return (await accounts.byUid(uid))?.username ?? String(uid);
}
