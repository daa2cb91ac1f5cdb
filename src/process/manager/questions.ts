// Questions of sessions to their owner, over our own: asked by the agent's own tool, stored, listed and answered as ever. This adds an end
// of the wait where nobody is at a terminal, and reads an answer as a channel brings it: a number, a choice, or a text.

import { QUESTION_MS } from "../../abi/process/lifecycle.ts";
import type { Clock } from "../../lib/clock.ts";

export interface QuestionAsked {
  readonly id: string;
  readonly sessionId: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly source: string;
  readonly sender: string | null;
  readonly timeoutMs?: number;
  readonly createdAt: number;
}

export interface OwnerQuestionPorts {
  readonly clock: Clock;
  readonly isOwner: (sender: string) => boolean;
  readonly answer: (asked: QuestionAsked, text: string, by: string) => void;
  /** Nobody answered in time. */
  readonly expire: (asked: QuestionAsked) => void;
}

type Pending = QuestionAsked & { readonly cancel: () => void };

export class OwnerQuestionManager {
  private readonly pending = new Map<string, Pending>();

  constructor(private readonly ports: OwnerQuestionPorts) {}

  /** It waits from now on. */
  opened(asked: QuestionAsked): void {
    const { usual, min, max } = QUESTION_MS;
    const ms = asked.source === "cli" ? null : Math.min(max, Math.max(min, asked.timeoutMs ?? usual));
    const cancel = ms === null ? () => {} : this.ports.clock.after(ms, () => this.expire(asked.id));
    this.pending.get(asked.id)?.cancel();
    this.pending.set(asked.id, { ...asked, cancel });
  }

  closed(id: string): void {
    this.pending.get(id)?.cancel();
    this.pending.delete(id);
  }

  /** True once. Only an owner answers from another channel: what is asked is the owner's to say. */
  resolveQuestion(id: string, text: string, sender?: string): boolean {
    const asked = this.pending.get(id);
    const said = asked === undefined ? null : answerIn(asked.options, text);
    if (asked === undefined || said === null || (sender !== undefined && !this.ports.isOwner(sender))) return false;
    this.closed(id);
    this.ports.answer(asked, said, sender ?? "owner");
    return true;
  }

  resolveByShortId(prefix: string, text: string, sender?: string): boolean {
    const found = this.findByShortId(prefix);
    return found !== null && this.resolveQuestion(found.id, text, sender);
  }

  /** Null where the prefix is empty or more than one question's. */
  findByShortId(prefix: string): QuestionAsked | null {
    const short = prefix.toLowerCase();
    const found = [...this.pending.values()].filter(({ id }) => short !== "" && id.toLowerCase().startsWith(short));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  getPendingForSession(sessionId: string): readonly QuestionAsked[] {
    return [...this.pending.values()].filter((each) => each.sessionId === sessionId);
  }

  cancelSession(sessionId: string): void {
    for (const { id } of this.getPendingForSession(sessionId)) this.closed(id);
  }

  shutdown(): void {
    for (const id of [...this.pending.keys()]) this.closed(id);
  }

  private expire(id: string): void {
    const asked = this.pending.get(id);
    this.closed(id);
    if (asked !== undefined) this.ports.expire(asked);
  }
}

/** The choice of that number, counted from 1, or of that name; the text itself where it is neither. Null for nothing. */
function answerIn(options: readonly string[], text: string): string | null {
  const said = text.trim();
  if (said === "") return null;
  const numbered = /^[0-9]{1,3}$/.test(said) ? options[Number(said) - 1] : undefined;
  return numbered ?? options.find((option) => option.toLowerCase() === said.toLowerCase()) ?? said;
}
