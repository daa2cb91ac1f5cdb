// Before a model is asked, room for its answer is reserved in every budget its process spends from: its own, those above, and what the account
// may use in a day. Whoever finds one used up is held, with what ends that; whoever finds the rest reserved by others waits for them. So
// many at once overspend a budget by no more than one of them would. A reservation lives as long as its call, which no kernel outlives, so
// it is kept in memory; what was used is charged by the store, with the turn.

import {
  type Amounts,
  amountText,
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
import { amountsIn, type DayBudget } from "../../kernel/spending.ts";
import { Alarms } from "../../lib/alarm.ts";
import type { Clock } from "../../lib/clock.ts";
import { Serial } from "../../lib/serial.ts";
import { dayBegan, dayEnds } from "../../lib/text/days.ts";
import type { BudgetRows } from "../../store/kernel/processes/budgets.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { UsageRows } from "../../store/kernel/processes/usage.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";

export interface BudgetPorts {
  readonly processes: ProcessRows;
  readonly budgets: BudgetRows;
  readonly usage: UsageRows;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** What an account may use in a day; null where nothing bounds it. */
  readonly dayOf: (ownerUid: number) => Promise<DayBudget | null>;
  readonly wake: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

export interface Wish {
  /** What the answer may use at most; asked for only where something is bounded. */
  readonly most: () => Promise<Amounts>;
  readonly signal: AbortSignal;
}

/** One budget, as a process meets it. */
interface Scope {
  readonly key: string;
  /** Whose it is; null for an account's day. */
  readonly pid: string | null;
  readonly limits: Limits;
  readonly used: Amounts;
  /** When it begins anew. */
  readonly until?: number;
}

export interface Reservation {
  readonly scopes: ReadonlySet<string>;
  readonly most: Amounts;
}

type Reserved =
  | { readonly kind: "free"; readonly reservation: Reservation | null }
  | { readonly kind: "over" | "full"; readonly scope: Scope };

const TOLD_MAX = 10_000;

export class Budgets {
  private readonly reservations = new Set<Reservation>();
  private readonly waiting = new Set<() => void>();
  private readonly serial = new Serial();
  /** Budgets whose owner was warned, with their bounds at that time. */
  private readonly told = new Set<string>();
  /** Instants at which a new day frees what is paused. */
  private readonly days: Alarms<number>;

  constructor(private readonly ports: BudgetPorts) {
    const { clock, onFault } = ports;
    this.days = new Alarms({ clock, onFault, ring: () => this.look(null) });
  }

  /** Lets go what may go on: a budget was raised, a setting changed, a day ended, a kernel began. */
  async look(ownerUid: number | null): Promise<void> {
    this.days.clear();
    for (const row of (await this.ports.processes.paused()).filter(({ waitsFor }) => waitsFor?.kind === "limit")) {
      if (ownerUid === null || row.ownerUid === ownerUid) await this.lookAt(row);
      else if (row.waitsFor?.kind === "limit") this.expect(row.waitsFor);
    }
  }

  /** Something of it was used: its owner hears when that is much. */
  async charged(row: ProcessRow): Promise<void> {
    for (const scope of await this.scopesOf(row)) this.warn(row, scope);
  }

  dueWithinMs(): number | null {
    return this.days.dueWithinMs();
  }

  stop(): void {
    this.days.clear();
  }

  /** Null where nothing is bounded; `held` where nothing may be used now, or nobody wants to any more. */
  async reserve(row: ProcessRow, { most, signal }: Wish): Promise<Reservation | null | "held"> {
    if ((await this.scopesOf(row)).length === 0) return null;
    const wanted = await most();
    for (;;) {
      const left = this.settled();
      const reserved = await this.serial.run(() => this.tryReserve(row, wanted));
      if (reserved.kind === "free") return reserved.reservation;
      if (signal.aborted) return "held";
      if (reserved.kind === "over") {
        await this.hold(row, reserved.scope);
        return "held";
      }
      await this.waitFor(left, row, { scope: reserved.scope, signal });
    }
  }

  private async tryReserve(row: ProcessRow, most: Amounts): Promise<Reserved> {
    const scopes = await this.scopesOf(row);
    const over = scopes.find(({ limits, used }) => reached(limits, used) !== null);
    if (over !== undefined) return { kind: "over", scope: over };
    const full = scopes.find((scope) => {
      const others = [...this.reservations].filter((each) => each.scopes.has(scope.key)).map((each) => each.most);
      // Who is alone may go on: what it uses at most is what a budget is overspent by.
      return others.length > 0 && !fits(scope.limits, others.reduce(plus, scope.used), most);
    });
    if (full !== undefined) return { kind: "full", scope: full };
    if (scopes.length === 0) return { kind: "free", reservation: null };
    for (const scope of scopes) if (isNear(scope)) this.told.add(warningOf(scope));
    const reservation = { scopes: new Set(scopes.map(({ key }) => key)), most };
    this.reservations.add(reservation);
    return { kind: "free", reservation };
  }

  /** Whether something is used up: then the process is held until that ends. */
  async holdsBack(row: ProcessRow): Promise<boolean> {
    const over = (await this.scopesOf(row)).find(({ limits, used }) => reached(limits, used) !== null);
    if (over !== undefined) await this.hold(row, over);
    return over !== undefined;
  }

  /** What it used is charged by now: both are seen, or neither. */
  async settle(reservation: Reservation | null): Promise<void> {
    if (reservation === null) return;
    await this.serial.run(async () => this.reservations.delete(reservation));
    for (const go of [...this.waiting]) go();
  }

  private warn(row: ProcessRow, scope: Scope): void {
    if (!isNear(scope) || this.told.has(warningOf(scope))) return;
    if (this.told.size >= TOLD_MAX) this.told.clear();
    this.told.add(warningOf(scope));
    const share = shareOf(scope.limits, scope.used);
    const whose = scope.pid ?? "this account";
    const when = scope.pid === null ? " today" : "";
    const text = `${whose} has used ${usedText(scope.limits, scope.used)}${when} (${Math.floor(share * 100)} %)`;
    this.ports.ledger.emit(row, { name: "process.budget", of: scope.pid, share, text });
  }

  private settled(): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.waiting.delete(go);
        resolve();
      };
      this.waiting.add(go);
    });
  }

  private async waitFor(
    settled: Promise<void>,
    row: ProcessRow,
    { scope, signal }: { readonly scope: Scope; readonly signal: AbortSignal },
  ): Promise<void> {
    const text = `others use what is left of the budget of ${scope.pid ?? "the day"}; ${row.pid} goes on after them`;
    const share = shareOf(scope.limits, scope.used);
    this.ports.ledger.emit(row, { name: "process.budget", of: scope.pid, share, text });
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    await Promise.race([settled, aborted.promise]);
  }

  private async hold(row: ProcessRow, scope: Scope): Promise<void> {
    const { store, ledger, clock } = this.ports;
    const waitsFor = this.heldBy(row, scope);
    await store.pause(row.pid, waitsFor, { now: clock.now() });
    await ledger.publish(row);
    this.expect(waitsFor);
    // Raised in this very moment.
    await this.lookAt(row);
  }

  private async lookAt(row: ProcessRow): Promise<void> {
    const scopes = await this.scopesOf(row);
    const over = scopes.find(({ limits, used }) => reached(limits, used) !== null);
    if (over === undefined) return await this.letGo(row);
    const waitsFor = this.heldBy(row, over);
    this.expect(waitsFor);
    const now = await this.ports.processes.get(row.pid);
    if (JSON.stringify(now?.waitsFor) !== JSON.stringify(waitsFor)) await this.pause(row, waitsFor);
  }

  private async letGo(row: ProcessRow): Promise<void> {
    await this.pause(row, null);
    this.ports.wake(row.pid);
  }

  private async pause(row: ProcessRow, waitsFor: WaitsFor | null): Promise<void> {
    const { store, ledger, clock } = this.ports;
    await ledger.write(row, async () => {
      // Reset or held for something else meanwhile.
      if ((await store.head(row.pid)).paused?.kind !== "limit") return;
      await store.pause(row.pid, waitsFor, { now: clock.now() });
      await ledger.publish(row);
    });
  }

  private expect(waitsFor: WaitsFor): void {
    if (waitsFor.kind === "limit" && waitsFor.until !== undefined) this.days.set(waitsFor.until, waitsFor.until);
  }

  private heldBy({ pid }: ProcessRow, scope: Scope): WaitsFor {
    const dimension = reached(scope.limits, scope.used) ?? "micros";
    const used = `${amountText(dimension, scope.used[dimension])} of ${amountText(dimension, scope.limits[dimension] ?? 0)}`;
    if (scope.until !== undefined) {
      const then = new Date(scope.until).toISOString();
      const reason = `${used} used today: it goes on at ${then}, or once budget.day is raised (gsv config set budget.day)`;
      return { kind: "limit", reason, until: scope.until };
    }
    const whose = scope.pid === pid ? "its budget" : `the budget of ${scope.pid}`;
    const raise = `gsv budget ${scope.pid} ${RAISES[dimension]}`;
    return { kind: "limit", reason: `${whose} is used up, ${used}: ${raise} raises it` };
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
