// Asks a person about calls of a turn. All calls that need approval are asked together, in their order, as one stack. A call with a card that
// an earlier call may change is asked when its turn comes.

import { approvalId, type RandomBytes } from "../../abi/ids.ts";
import type { Approval, RunAgain } from "../../abi/process/process.ts";
import { isInside } from "../../lib/inside.ts";
import type { ApprovalRows } from "../../store/kernel/processes/approvals.ts";
import type { AskRequest } from "../../store/process/approvals.ts";
import type { CallRow } from "../../store/process/verbs.ts";
import { changes, PLAN_CALL } from "../approvals/policy/file-verdict.ts";
import { hashOf, type Judge, type Judged } from "../approvals/policy/judge.ts";
import type { Questions } from "../approvals/questions.ts";
import { secondRunAbout } from "../approvals/run-again.ts";
import type { LedgerPorts } from "../life/ledger.ts";
import type { CurrentRun } from "./current-run.ts";

export interface AskedCallPorts extends LedgerPorts {
  readonly approvals: ApprovalRows;
  readonly random: RandomBytes;
  readonly judge: Judge;
  readonly questions: Questions;
  /** The objection of a person's hook to a call; null if there is none or the run must end. */
  readonly objection: (place: CurrentRun, call: CallRow) => Promise<string | null>;
}

export interface Ask {
  readonly call: CallRow;
  readonly why: string;
  readonly judged: Judged;
  readonly again?: RunAgain;
}

/** Requests of one stack; a larger stack is asked in parts. */
const TOGETHER_MAX = 20;

/** The answers to these calls, or their effects, may change every later card. */
const ALONE: ReadonlySet<string> = new Set(["hil.ask", PLAN_CALL, "codemode.exec"]);

export class AskedCalls {
  constructor(private readonly ports: AskedCallPorts) {}

  async ask(place: CurrentRun, asks: readonly Ask[]): Promise<"left"> {
    const { clock, questions } = this.ports;
    const expiresAt = await questions.approvalEnds(place.row);
    const now = clock.now();
    const requests = asks.map(({ call, why, judged, again }, index) => {
      const about = again === undefined ? judged.about : secondRunAbout(judged.about, again);
      const shown = { about: index === 0 ? about : { ...about, early: true as const }, hash: hashOf(call, judged) };
      return { kind: "approval" as const, dispatchId: call.dispatchId, why, ...shown, expiresAt, now };
    });
    return await this.store(place, requests);
  }

  /** Stores requests that were made at the same time, so their ids give them their order. */
  async store({ row, run }: CurrentRun, requests: readonly Omit<AskRequest, "approvalId">[]): Promise<"left"> {
    const { store, ledger, questions } = this.ports;
    const ids = await this.freshIds(requests.length);
    const named = requests.map((request, index) => ({ ...request, approvalId: ids[index] ?? "" }));
    const asked = await store.ask(row.pid, run.epoch, named);
    if (asked.ok) for (const each of asked.value) questions.watch(each);
    await ledger.publish(row);
    return "left";
  }

  private async freshIds(count: number): Promise<readonly string[]> {
    const open = new Set((await this.ports.approvals.open({})).map(({ id }) => id));
    const fresh = new Set<string>();
    while (fresh.size < count) {
      const id = approvalId(this.ports.random);
      if (!open.has(id)) fresh.add(id);
    }
    return [...fresh].sort();
  }

  /** The first request and the later ones that can be shown with it. */
  async withLater(
    place: CurrentRun,
    first: Ask,
    { later, isSound }: { readonly later: readonly CallRow[]; readonly isSound: (call: CallRow) => boolean },
  ): Promise<readonly Ask[]> {
    const { judge, objection } = this.ports;
    const asks = [first];
    if (first.judged.attaches !== null || first.judged.about.attaches !== undefined || isAlone(first.call)) return asks;
    const changed = changedBy(first.call, first.judged);
    for (const call of later) {
      if (call.status === "answered") continue;
      if (place.signal.aborted || isAlone(call) || asks.length === TOGETHER_MAX) break;
      const judged = await judge.judge(place.row, call);
      const { verdict, filePath, about } = judged;
      // Once the first approval has attached the directory, the others may run without one.
      if (about.attaches !== undefined) break;
      const isReady = call.status === "registered" && verdict.action === "ask" && isSound(call);
      const mayChange = changed.some(
        (path) => filePath !== null && (isInside(filePath, path) || isInside(path, filePath)),
      );
      if (isReady && !mayChange && (await objection(place, call)) === null)
        asks.push({ call, why: verdict.why, judged });
      changed.push(...changedBy(call, judged));
    }
    return asks;
  }
}

function isAlone({ call }: CallRow): boolean {
  return call !== null && ALONE.has(call);
}

function changedBy(call: CallRow, { filePath }: Judged): string[] {
  return filePath !== null && changes(call) ? [filePath] : [];
}

/** The call was approved before earlier calls of its turn ran, and would now do something else. */
export function isOutdated(approval: Approval, call: CallRow, judged: Judged): boolean {
  const { about, edited, hash } = approval;
  if (about?.early !== true) return false;
  const isSameDanger = edited || Bun.deepEquals(about.dangers ?? [], judged.about.dangers ?? []);
  return hash !== hashOf(call, judged) || !isSameDanger;
}
