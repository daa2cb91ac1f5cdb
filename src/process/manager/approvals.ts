// Approval requests and questions of sessions, answered over a channel: by id or a prefix of it, by senders that the owner check or the
// session allows. The kernel stores the requests.

export interface ApprovalResponse {
  readonly behavior: "allow" | "deny";
  readonly message?: string;
}

export interface ApprovalAsked {
  readonly id: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly description: string;
  /** Sender who may answer besides an owner; null at a terminal, where everyone may. */
  readonly sender: string | null;
  readonly createdAt: number;
}

export interface AnswerPorts {
  readonly isOwner: (sender: string) => boolean;
  readonly answer: (args: object) => void;
}

class Waiting<Asked extends { readonly id: string; readonly sessionId: string }> {
  protected readonly pending = new Map<string, Asked>();

  constructor(protected readonly ports: AnswerPorts) {}

  opened(asked: Asked): void {
    this.pending.set(asked.id, asked);
  }

  closed(id: string): void {
    this.pending.delete(id);
  }

  getPendingForSession(sessionId: string): readonly Asked[] {
    return [...this.pending.values()].filter((each) => each.sessionId === sessionId);
  }

  cancelSession(sessionId: string): void {
    for (const { id } of this.getPendingForSession(sessionId)) this.closed(id);
  }

  /** null for an empty prefix, or one of several requests. */
  findByShortId(prefix: string): Asked | null {
    const short = prefix.toLowerCase();
    const found = [...this.pending.values()].filter(({ id }) => short !== "" && id.toLowerCase().startsWith(short));
    return found.length === 1 ? (found[0] ?? null) : null;
  }
}

export class ApprovalManager extends Waiting<ApprovalAsked> {
  /** True once; false if unknown, already answered, or not allowed for the sender. */
  resolveRequest(id: string, { behavior, message }: ApprovalResponse, sender?: string): boolean {
    const asked = this.pending.get(id);
    if (asked === undefined || !this.mayAnswer(asked, sender)) return false;
    this.closed(id);
    const decision = behavior === "allow" ? "approve" : "deny";
    this.ports.answer({ id, decision, ...(message === undefined ? {} : { message }) });
    return true;
  }

  resolveByShortId(prefix: string, response: ApprovalResponse, sender?: string): boolean {
    const found = this.findByShortId(prefix);
    return found !== null && this.resolveRequest(found.id, response, sender);
  }

  private mayAnswer({ sender: wanted }: ApprovalAsked, sender: string | undefined): boolean {
    if (sender === undefined) return wanted === null;
    return this.ports.isOwner(sender) || sender === wanted;
  }
}

export interface QuestionAsked {
  readonly id: string;
  readonly sessionId: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly sender: string | null;
  readonly createdAt: number;
}

/** Answers are the number of a choice, its name, or a text. */
export class OwnerQuestionManager extends Waiting<QuestionAsked> {
  /** True once. In another channel only an owner may answer. */
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

/** A number without a choice is a text. */
function choiceIn(options: readonly string[], text: string): string {
  const numbered = /^[0-9]{1,3}$/.test(text) ? options[Number(text) - 1] : undefined;
  return numbered ?? options.find((option) => option.toLowerCase() === text.toLowerCase()) ?? text;
}
