// Reserves the most a model call may cost in every budget of its process: its own, those of its parents, and the account's daily limit. If
// one is used up, the run pauses; if the rest is reserved by others, the run waits for them. So parallel runs overspend a budget by at most
// one answer. Reservations live in memory, as long as the model call; the store charges the real usage.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import {
  type Amounts,
  amountText,
  budgetText,
  budgetWritten,
  type Dimension,
  fits,
  type Limits,
  plus,
  reached,
  shareOf,
  usedText,
  WARN_SHARE,
} from "../../abi/process/budget.ts";
import type { WaitsFor } from "../../abi/process/process.ts";
import type { ReceiptContext } from "../../kernel/dispatch.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { amountsIn, budgetsShown, type DayBudget } from "../../kernel/spending.ts";
import type { Clock } from "../../lib/clock.ts";
import { Serial } from "../../lib/serial.ts";
import { dayBegan, dayEnds } from "../../lib/text/days.ts";
import type { BudgetRow, BudgetRows } from "../../store/kernel/processes/budgets.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { UsageRows } from "../../store/kernel/processes/usage.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { BudgetChanged, BudgetService } from "../../syscalls/system/spending.ts";
import type { LedgerPorts } from "../life/ledger.ts";

export interface BudgetPorts extends LedgerPorts {
  readonly processes: ProcessRows;
  readonly budgets: BudgetRows;
  readonly usage: UsageRows;
  readonly dayOf: (ownerUid: number) => Promise<DayBudget | null>;
  readonly wake: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

export interface Cost {
  /** Most that the answer may cost. Called only if a limit exists. */
  readonly most: () => Promise<Amounts>;
  readonly signal: AbortSignal;
}

interface Scope {
  readonly key: string;
  /** null for the daily limit. */
  readonly pid: string | null;
  readonly limits: Limits;
  readonly used: Amounts;
  readonly until?: number;
}

export interface Reservation {
  readonly scopes: ReadonlySet<string>;
  readonly most: Amounts;
}

type Reserved =
  | { readonly kind: "free"; readonly reservation: Reservation | null }
  | { readonly kind: "over" | "full"; readonly scope: Scope };

const WARNED_MAX = 10_000;

export class Budgets {
  private readonly reservations = new Set<Reservation>();
  private readonly waiting = new Set<() => void>();
  private readonly serial = new Serial();
  /** Warnings already sent, by budget and limits. */
  private readonly warned = new Set<string>();

  constructor(private readonly ports: BudgetPorts) {}

  /** Resumes runs after a budget or setting changed, a day ended, or the kernel started. */
  async resumeAllowed(ownerUid: number | null): Promise<void> {
    for (const row of (await this.ports.processes.paused()).filter(({ waitsFor }) => waitsFor?.kind === "limit")) {
      if (ownerUid === null || row.ownerUid === ownerUid) await this.recheck(row);
    }
  }

  /** Warns the owner when most of a budget is used. */
  async charged(row: ProcessRow): Promise<void> {
    for (const scope of await this.scopesOf(row)) this.warn(row, scope);
  }

  /** null without limits; `paused` if the run was paused or aborted. */
  async reserve(row: ProcessRow, { most, signal }: Cost): Promise<Reservation | null | "paused"> {
    if ((await this.scopesOf(row)).length === 0) return null;
    const wanted = await most();
    for (;;) {
      const reserved = await this.serial.run(() => this.tryReserve(row, wanted));
      if (reserved.kind === "free") return reserved.reservation;
      if (signal.aborted) return "paused";
      if (reserved.kind === "over") {
        await this.pauseFor(row, reserved.scope);
        return "paused";
      }
      await this.waitForOthers(row, reserved.scope, signal);
    }
  }

  private async tryReserve(row: ProcessRow, most: Amounts): Promise<Reserved> {
    const scopes = await this.scopesOf(row);
    const over = scopes.find(({ limits, used }) => reached(limits, used) !== null);
    if (over !== undefined) return { kind: "over", scope: over };
    const full = scopes.find((scope) => {
      const others = [...this.reservations].filter((each) => each.scopes.has(scope.key)).map((each) => each.most);
      // One run may start on what is left, so a budget is overspent by at most one answer.
      return others.length > 0 && !fits(scope.limits, others.reduce(plus, scope.used), most);
    });
    if (full !== undefined) return { kind: "full", scope: full };
    if (scopes.length === 0) return { kind: "free", reservation: null };
    for (const scope of scopes) if (isNear(scope)) this.warned.add(warningOf(scope));
    const reservation = { scopes: new Set(scopes.map(({ key }) => key)), most };
    this.reservations.add(reservation);
    return { kind: "free", reservation };
  }

  async holdsBack(row: ProcessRow): Promise<boolean> {
    const over = (await this.scopesOf(row)).find(({ limits, used }) => reached(limits, used) !== null);
    if (over !== undefined) await this.pauseFor(row, over);
    return over !== undefined;
  }

  /** Call after the usage is charged: then both change at once for others. */
  async settle(reservation: Reservation | null): Promise<void> {
    if (reservation === null) return;
    await this.serial.run(async () => this.reservations.delete(reservation));
    for (const go of [...this.waiting]) go();
  }

  private warn(row: ProcessRow, scope: Scope): void {
    if (!isNear(scope) || this.warned.has(warningOf(scope))) return;
    if (this.warned.size >= WARNED_MAX) this.warned.clear();
    this.warned.add(warningOf(scope));
    const share = shareOf(scope.limits, scope.used);
    const whose = scope.pid ?? "this account";
    const when = scope.pid === null ? " today" : "";
    const text = `${whose} has used ${usedText(scope.limits, scope.used)}${when} (${Math.floor(share * 100)} %)`;
    this.ports.ledger.emit(row, { name: "process.budget", of: scope.pid, share, text });
  }

  // Registers before its first await: a reservation that is settled meanwhile must not be missed.
  private async waitForOthers(row: ProcessRow, scope: Scope, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    const text = `other runs have reserved the rest of the budget of ${scope.pid ?? "the day"}; ${row.pid} waits`;
    const share = shareOf(scope.limits, scope.used);
    this.ports.ledger.emit(row, { name: "process.budget", of: scope.pid, share, text });
    await promise.finally(() => this.waiting.delete(resolve));
  }

  private async pauseFor(row: ProcessRow, scope: Scope): Promise<void> {
    const { store, ledger, clock } = this.ports;
    const waitsFor = this.limitWait(row, scope);
    await store.pause(row.pid, waitsFor, { now: clock.now() });
    await ledger.publish(row);
    // The budget may have been raised meanwhile.
    await this.recheck(row);
  }

  private async recheck(row: ProcessRow): Promise<void> {
    const scopes = await this.scopesOf(row);
    const over = scopes.find(({ limits, used }) => reached(limits, used) !== null);
    if (over === undefined) {
      await this.pause(row, null);
      return this.ports.wake(row.pid);
    }
    const waitsFor = this.limitWait(row, over);
    const now = await this.ports.processes.get(row.pid);
    if (JSON.stringify(now?.waitsFor) !== JSON.stringify(waitsFor)) await this.pause(row, waitsFor);
  }

  private async pause(row: ProcessRow, waitsFor: WaitsFor | null): Promise<void> {
    const { store, ledger, clock } = this.ports;
    await ledger.write(row, async () => {
      // Reset, or paused for another reason meanwhile.
      if ((await store.head(row.pid)).paused?.kind !== "limit") return;
      await store.pause(row.pid, waitsFor, { now: clock.now() });
      await ledger.publish(row);
    });
  }

  private limitWait({ pid }: ProcessRow, scope: Scope): WaitsFor {
    const dimension = reached(scope.limits, scope.used) ?? "micros";
    const used = `${amountText(dimension, scope.used[dimension])} of ${amountText(dimension, scope.limits[dimension] ?? 0)}`;
    if (scope.until !== undefined) {
      const then = new Date(scope.until).toISOString();
      const reason = `${used} used today; resumes at ${then}, or raise it: gsv config set budget.day`;
      return { kind: "limit", reason, until: scope.until };
    }
    const whose = scope.pid === pid ? "its budget" : `the budget of ${scope.pid}`;
    const raise = `gsv budget ${scope.pid} ${RAISES[dimension]}`;
    return { kind: "limit", reason: `${whose} is used up (${used}); raise it: ${raise}` };
  }

  private async scopesOf({ pid, ownerUid }: ProcessRow): Promise<Scope[]> {
    const { budgets, usage, clock, dayOf } = this.ports;
    const scopes: Scope[] = (await budgets.above(pid)).map(({ id, pid: of, limits, used }) => ({
      key: String(id),
      pid: of,
      limits,
      used,
    }));
    const day = await dayOf(ownerUid);
    if (day === null) return scopes;
    const now = clock.now();
    const used = amountsIn(await usage.sums({ by: "account", ownerUid, since: dayBegan(now, day.zone) }));
    return [...scopes, { key: `day ${ownerUid}`, pid: null, limits: day.limits, used, until: dayEnds(now, day.zone) }];
  }
}

const RAISES: { readonly [D in Dimension]: string } = { micros: "'+$1'", tokens: "+100k", ms: "+30m" };

function isNear({ limits, used }: Scope): boolean {
  return shareOf(limits, used) >= WARN_SHARE;
}

function warningOf({ key, limits, until }: Scope): string {
  return JSON.stringify([key, limits, until]);
}

export interface BudgetServicePorts {
  readonly kernel: KernelStore;
  readonly budgets: Budgets;
  readonly clock: Clock;
}

/** The service behind proc.budget. The new limits and the answer are one transaction; then runs that waited for the budget resume. */
export function budgetService({ kernel, budgets, clock }: BudgetServicePorts): BudgetService {
  return {
    ...budgetsShown({ kernel, clock }),

    async change(context: ReceiptContext, { pid, budget }) {
      const ownerUid = await ownerOf(kernel, context.caller, pid);
      const written = budgetWritten(budget);
      const row = await kernel.budgets.change(pid, written, {
        now: clock.now(),
        request: (after) => context.receipt?.(answerOf(pid, after)) ?? null,
      });
      await budgets.resumeAllowed(ownerUid);
      return answerOf(pid, row);
    },
  };
}

function answerOf(pid: string, row: BudgetRow | null): BudgetChanged {
  if (row === null) return { pid, budget: null, used: null };
  return { pid, budget: budgetText(row.limits), used: usedText(row.limits, row.used) };
}

/** A budget outlives its process: other processes may still spend from it. */
async function ownerOf(kernel: KernelStore, caller: Caller, pid: string): Promise<number> {
  try {
    return (await visibleProcess(kernel, caller, pid)).ownerUid;
  } catch (error) {
    const left = await kernel.budgets.of(pid);
    const isMine = left !== null && (left.ownerUid === caller.ownerUid || isRoot(caller));
    if (!(error instanceof SysError) || left === null || !isMine) throw error;
    return left.ownerUid;
  }
}
