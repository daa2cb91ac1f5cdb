// Requests of sessions for approval, as a channel answers them: by id or the beginning of one, by whom the owner check and the session's sender
// allow. The requests themselves are the kernel's.

export interface ApprovalResponse {
  readonly behavior: "allow" | "deny";
  readonly message?: string;
}

export interface ApprovalAsked {
  readonly id: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly description: string;
  /** Who may answer besides an owner; null at a terminal, where anybody may. */
  readonly sender: string | null;
  readonly createdAt: number;
}

export interface AnswerPorts {
  readonly isOwner: (sender: string) => boolean;
  /** The arguments of `hil.answer`. */
  readonly answer: (args: object) => void;
}

/** Requests that wait, by id. */
export class Waiting<Asked extends { readonly id: string; readonly sessionId: string }> {
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
  /** True once: false if the request is unknown or answered, or not the sender's to answer. */
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
