// Requests of sessions for a person's word, over our own approvals: those are stored, listed and answered as ever, and this adds what sessions
// of other channels need: an end of the wait, a queue for later, and a look at who answers. At a terminal nothing ends a wait.

import { APPROVAL_MS, CHANNEL_APPROVAL_MS, isAtHand } from "../../abi/process/lifecycle.ts";
import type { ApprovalWire } from "./events.ts";

export interface ApprovalResponse {
  readonly behavior: "allow" | "deny";
  readonly message?: string;
}

export interface ApprovalAsked extends Omit<ApprovalWire, "timeoutMs"> {
  readonly source: string;
  /** Who may answer besides an owner; null where nobody was named. */
  readonly sender: string | null;
}

export interface ApprovalManagerPorts {
  readonly isOwner: (sender: string) => boolean;
  /** The answer, on its way to the process; false where it came too late. */
  readonly answer: (asked: ApprovalAsked, response: ApprovalResponse, by: string) => void;
}

export class ApprovalManager {
  private readonly pending = new Map<string, ApprovalAsked>();

  constructor(private readonly ports: ApprovalManagerPorts) {}

  /** How long it waits; null for as long as it takes. The kernel denies it then. */
  opened(asked: ApprovalAsked): number | null {
    const ms = waitMs(asked.source);
    this.pending.set(asked.id, asked);
    return ms;
  }

  closed(id: string): void {
    this.pending.delete(id);
  }

  /** True once; false where it is unknown, answered, over, or not the sender's to answer. */
  resolveRequest(id: string, response: ApprovalResponse, sender?: string): boolean {
    const asked = this.pending.get(id);
    if (asked === undefined || !this.mayAnswer(asked, sender)) return false;
    this.closed(id);
    this.ports.answer(asked, response, sender ?? "owner");
    return true;
  }

  /** By the begin of its id, where that is one request's alone. */
  resolveByShortId(prefix: string, response: ApprovalResponse, sender?: string): boolean {
    const short = prefix.toLowerCase();
    const found = [...this.pending.keys()].filter((id) => short !== "" && id.toLowerCase().startsWith(short));
    const [id, ...more] = found;
    return id !== undefined && more.length === 0 && this.resolveRequest(id, response, sender);
  }

  setSenderAddress(id: string, sender: string): void {
    const asked = this.pending.get(id);
    if (asked !== undefined) this.pending.set(id, { ...asked, sender });
  }

  getPendingForSession(sessionId: string): readonly ApprovalAsked[] {
    return [...this.pending.values()].filter((each) => each.sessionId === sessionId);
  }

  hasPendingRequests(): boolean {
    return this.pending.size > 0;
  }

  /** The session ended: its process has withdrawn what it asked. What was refused for want of an answer stays to be seen. */
  cancelSession(sessionId: string): void {
    for (const { id } of this.getPendingForSession(sessionId)) this.closed(id);
  }

  shutdown(): void {
    this.pending.clear();
  }

  // At a terminal there is no sender: who reaches it there is the owner. Of another channel nobody answers who is not named.
  private mayAnswer({ sender: wanted, source }: ApprovalAsked, sender: string | undefined): boolean {
    if (sender === undefined) return isAtHand(source);
    return this.ports.isOwner(sender) || (wanted !== null && sender === wanted);
  }
}

/** Null at a terminal. */
function waitMs(source: string): number | null {
  if (source === "cli") return null;
  return isAtHand(source) ? APPROVAL_MS : CHANNEL_APPROVAL_MS;
}
