// Questions of an agent to its owner: stored and told like approvals, answered with a choice or a text. One that has a time limit is over
// then, with its default where it has one; also while no kernel ran.

import type { ToolOutcome } from "../../abi/process/message.ts";
import { type Approval, PROFILES_ALONE } from "../../abi/process/process.ts";
import { Alarms } from "../../lib/alarm.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ApprovalRows } from "../../store/kernel/processes/approvals.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { AskRequest, GivenAnswer } from "../../store/process/approvals.ts";
import type { CallRow } from "../../store/process/verbs.ts";

export interface QuestionsPorts {
  readonly clock: Clock;
  readonly approvals: Pick<ApprovalRows, "open">;
  /** Closes one that is open still. */
  readonly close: (question: Approval, given: Omit<GivenAnswer, "now">) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

export interface QuestionArgs {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly timeoutSeconds?: number;
}

type Asked =
  | { readonly request: Omit<AskRequest, "dispatchId" | "approvalId"> }
  /** Nobody is asked. */
  | { readonly outcome: ToolOutcome; readonly output: string };

export class Questions {
  private readonly open = new Map<string, Approval>();
  private readonly alarms: Alarms<string>;

  constructor(private readonly ports: QuestionsPorts) {
    const { clock, onFault } = ports;
    this.alarms = new Alarms({ clock, onFault, ring: (key) => this.expire(key) });
  }

  of(row: ProcessRow, call: CallRow): Asked {
    const { question, default: fallback, timeoutSeconds, choices } = questionArgs(call);
    if (choices !== undefined && fallback !== undefined && !choices.includes(fallback))
      return { outcome: "failed", output: `EINVAL: the default ${fallback} is none of the choices` };
    if (PROFILES_ALONE.includes(row.profile)) {
      if (fallback !== undefined)
        return { outcome: "completed", output: `nobody is there to ask; the default: ${fallback}` };
      return { outcome: "denied", output: "this process has nobody to ask, and the question has no default." };
    }
    const now = this.ports.clock.now();
    const expiresAt = timeoutSeconds === undefined ? null : now + timeoutSeconds * 1000;
    return { request: { kind: "question", why: question, about: null, hash: "", expiresAt, now } };
  }

  /** Until it is answered or over. */
  watch(question: Approval): void {
    const key = keyOf(question);
    if (question.expiresAt === null || this.open.has(key)) return;
    this.open.set(key, question);
    this.alarms.set(key, question.expiresAt);
  }

  forget(question: Pick<Approval, "pid" | "id">): void {
    this.open.delete(keyOf(question));
    this.alarms.delete(keyOf(question));
  }

  private async expire(key: string): Promise<void> {
    const question = this.open.get(key);
    this.open.delete(key);
    if (question !== undefined) await this.ports.close(question, expiryOf(question));
  }

  /** Those that an earlier kernel asked. */
  async takeUp(): Promise<void> {
    for (const each of await this.ports.approvals.open({})) if (each.kind === "question") this.watch(each);
  }

  stop(): void {
    this.alarms.clear();
    this.open.clear();
  }

  /** One is over soon: until then a kernel has something to wait for. */
  get isPending(): boolean {
    return this.open.size > 0;
  }
}

function keyOf({ pid, id }: Pick<Approval, "pid" | "id">): string {
  return `${pid} ${id}`;
}

export function questionArgs({ args }: Pick<Approval, "args">): QuestionArgs {
  return args as unknown as QuestionArgs;
}

function expiryOf(question: Approval): Omit<GivenAnswer, "now"> {
  const { default: fallback, timeoutSeconds } = questionArgs(question);
  const silence = `nobody answered within ${timeoutSeconds} s`;
  const output =
    fallback === undefined ? `${silence}; go on as you think best.` : `${silence}; the default: ${fallback}`;
  return { approvalId: question.id, decision: "expired", by: "time", said: fallback ?? null, output };
}
