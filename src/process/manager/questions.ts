// Questions of sessions to their owner, as a channel answers them: with the number of a choice, its name, or a text.

import { Waiting } from "./approvals.ts";

export interface QuestionAsked {
  readonly id: string;
  readonly sessionId: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly sender: string | null;
  readonly createdAt: number;
}

export class OwnerQuestionManager extends Waiting<QuestionAsked> {
  /** True once. From another channel only an owner answers. */
  resolveQuestion(id: string, text: string, sender?: string): boolean {
    const asked = this.pending.get(id);
    if (asked === undefined || text.trim() === "" || (sender !== undefined && !this.ports.isOwner(sender)))
      return false;
    this.closed(id);
    this.ports.answer({ id, decision: "answer", text: choiceIn(asked.options, text.trim()) });
    return true;
  }

  resolveByShortId(prefix: string, text: string, sender?: string): boolean {
    const found = this.findByShortId(prefix);
    return found !== null && this.resolveQuestion(found.id, text, sender);
  }
}

/** A number beyond the choices is a text of its own. */
function choiceIn(options: readonly string[], text: string): string {
  const numbered = /^[0-9]{1,3}$/.test(text) ? options[Number(text) - 1] : undefined;
  return numbered ?? options.find((option) => option.toLowerCase() === text.toLowerCase()) ?? text;
}
