// Questions of an agent to its owner, stored like approvals and answered with a choice or a text, and the time limits of both. A question ends
// at its limit with its default, if it has one. A request of a session in another channel is denied at its limit: nobody there can see it wait.
// The limits are stored, so they also end while no kernel runs.

import { APPROVAL_MS, CHANNEL_APPROVAL_MS, isAtHand, QUESTION_MS } from "../../abi/process/lifecycle.ts";
import type { ToolOutcome } from "../../abi/process/message.ts";
import { type Approval, PROFILES_ALONE } from "../../abi/process/process.ts";
import type { Clock } from "../../lib/clock.ts";
import { spanText } from "../../lib/text/duration.ts";
import type { ApprovalRows } from "../../store/kernel/processes/approvals.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { AskRequest, GivenAnswer } from "../../store/process/approvals.ts";
import type { CallRow } from "../../store/process/verbs.ts";
import type { ServerQuestion } from "../../syscalls/run/server-tools.ts";

export interface QuestionsPorts {
  readonly clock: Clock;
  readonly approvals: Pick<ApprovalRows, "open">;
  /** Where messages of a process's session come from; null if it has no session. */
  readonly sourceOf: (pid: string) => Promise<string | null>;
  readonly close: (question: Approval, given: Omit<GivenAnswer, "now">) => Promise<void>;
}

export interface QuestionArgs {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly timeoutSeconds?: number;
}

type NewQuestion =
  | { readonly request: Omit<AskRequest, "dispatchId" | "approvalId"> }
  /** Answered at once, without asking the user. */
  | { readonly outcome: ToolOutcome; readonly output: string };

export class Questions {
  private readonly open = new Map<string, Approval>();

  constructor(private readonly ports: QuestionsPorts) {}

  async of(row: ProcessRow, call: CallRow): Promise<NewQuestion> {
    const { question, default: fallback, timeoutSeconds, choices } = questionArgs(call);
    if (choices !== undefined && fallback !== undefined && !choices.includes(fallback))
      return { outcome: "failed", output: `EINVAL: the default is not one of the choices: ${fallback}` };
    if (PROFILES_ALONE.includes(row.profile)) {
      if (fallback !== undefined)
        return { outcome: "completed", output: `no user to ask; default answer: ${fallback}` };
      return { outcome: "denied", output: "no user to ask, and the question has no default." };
    }
    const now = this.ports.clock.now();
    const waitMs = await this.questionMs(row.pid, timeoutSeconds === undefined ? null : timeoutSeconds * 1000);
    const expiresAt = waitMs === null ? null : now + waitMs;
    return { request: { kind: "question", why: question, about: null, hash: "", expiresAt, now } };
  }

  /** A question of a server, asked under its call. */
  async ofServer(
    { pid }: ProcessRow,
    { question, choices, held }: ServerQuestion,
  ): Promise<Omit<AskRequest, "dispatchId" | "approvalId">> {
    const now = this.ports.clock.now();
    const waitMs = await this.questionMs(pid, null);
    const args = { question, ...(choices !== undefined && { choices }) };
    const about = { kind: "question" as const, why: question, about: null, hash: "" };
    return { ...about, expiresAt: waitMs === null ? null : now + waitMs, now, ofServer: { args, held } };
  }

  /** When a request is denied automatically; null for never. */
  async approvalEnds({ pid }: ProcessRow): Promise<number | null> {
    const source = await this.ports.sourceOf(pid);
    if (isTerminal(source)) return null;
    return this.ports.clock.now() + (isAtHand(source) ? APPROVAL_MS : CHANNEL_APPROVAL_MS);
  }

  private async questionMs(pid: string, wantedMs: number | null): Promise<number | null> {
    if (isTerminal(await this.ports.sourceOf(pid))) return wantedMs;
    const { usual, min, max } = QUESTION_MS;
    return Math.min(max, Math.max(min, wantedMs ?? usual));
  }

  watch(question: Approval): void {
    if (question.expiresAt !== null) this.open.set(keyOf(question), question);
  }

  forget(question: Pick<Approval, "pid" | "id">): void {
    this.open.delete(keyOf(question));
  }

  /** Their limits have come. */
  async claimed(claims: readonly { readonly id: string }[]): Promise<void> {
    for (const { id } of claims) {
      const question = this.open.get(id);
      if (question !== undefined) await this.ports.close(question, expiryOf(question));
      this.open.delete(id);
    }
  }

  async restore(): Promise<void> {
    for (const each of await this.ports.approvals.open({})) this.watch(each);
  }

  stop(): void {
    this.open.clear();
  }

  /** True if a request can expire: the kernel stays up for it. */
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

function isTerminal(source: string | null): boolean {
  return source === null || source === "cli";
}

function expiryOf(asked: Approval): Omit<GivenAnswer, "now"> {
  const { id: approvalId, kind, createdAt, expiresAt } = asked;
  const silence = `no answer within ${spanText((expiresAt ?? createdAt) - createdAt)}`;
  if (kind === "approval") return { approvalId, decision: "deny", by: "time", said: silence };
  const { default: fallback } = questionArgs(asked);
  const output =
    fallback === undefined
      ? `${silence}; continue with your best judgement.`
      : `${silence}; default answer: ${fallback}`;
  return { approvalId, decision: "expired", by: "time", said: fallback ?? null, output };
}
