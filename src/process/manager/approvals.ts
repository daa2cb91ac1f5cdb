// Requests of sessions for a person's word, over our own approvals: those are stored, listed and answered as ever, and this adds what sessions
// of other channels need: an end of the wait, a queue for later, and a look at who answers. At a terminal nothing ends a wait.

import { APPROVAL_MS, CHANNEL_APPROVAL_MS, isAtHand, QUEUED_APPROVAL_MS } from "../../abi/process/lifecycle.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ApprovalWire } from "./events.ts";

export type OperationalMode = "normal" | "queued" | "paused";

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
  readonly clock: Clock;
  readonly isOwner: (sender: string) => boolean;
  /** The answer, on its way to the process; false where it came too late. */
  readonly answer: (asked: ApprovalAsked, response: ApprovalResponse, by: string) => void;
}

export interface QueuedRequest extends ApprovalAsked {
  readonly status: "pending" | "approved" | "denied" | "expired";
  /** The tool call was refused meanwhile: a yes changes nothing any more. */
  readonly isOver: boolean;
}

type Pending = ApprovalAsked & { readonly cancel: () => void };

const QUEUE_MAX = 1000;
const LATE = "nobody answered in time; it was put into the queue";

export class ApprovalManager {
  operationalMode: OperationalMode = "normal";
  private readonly pending = new Map<string, Pending>();
  private readonly queue = new Map<string, QueuedRequest>();

  constructor(private readonly ports: ApprovalManagerPorts) {}

  /** It waits from now on: how long, or null for as long as it takes. Not asked at all where all are refused. */
  opened(asked: ApprovalAsked): number | null {
    if (this.operationalMode === "paused") {
      this.ports.answer(asked, { behavior: "deny", message: "approvals are paused" }, "manager");
      return 0;
    }
    const isQueued = this.operationalMode === "queued";
    const ms = isQueued ? QUEUED_APPROVAL_MS : waitMs(asked.source);
    const cancel = ms === null ? () => {} : this.ports.clock.after(ms, () => this.expire(asked.id, isQueued));
    this.pending.get(asked.id)?.cancel();
    this.pending.set(asked.id, { ...asked, cancel });
    if (isQueued) this.enqueue({ ...asked, status: "pending", isOver: false });
    return isQueued ? null : ms;
  }

  /** Answered, withdrawn or over, however it came to be. */
  closed(id: string, isAllowed: boolean | null): void {
    this.pending.get(id)?.cancel();
    this.pending.delete(id);
    const queued = this.queue.get(id);
    if (queued?.status !== "pending" || queued.isOver) return;
    const status = isAllowed === null ? "expired" : isAllowed ? "approved" : "denied";
    this.queue.set(id, { ...queued, status });
  }

  /** True once; false where it is unknown, answered, over, or not the sender's to answer. */
  resolveRequest(id: string, response: ApprovalResponse, sender?: string): boolean {
    const asked = this.pending.get(id);
    if (asked === undefined || !this.mayAnswer(asked, sender)) return false;
    this.closed(id, response.behavior === "allow");
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

  /** Oldest first. */
  getQueuedRequests(): readonly QueuedRequest[] {
    const since = this.ports.clock.now() - QUEUED_APPROVAL_MS;
    for (const [id, { createdAt }] of this.queue) if (createdAt <= since) this.queue.delete(id);
    return [...this.queue.values()].filter(({ status }) => status === "pending");
  }

  /** False for one that is decided already. */
  resolveQueuedRequest(id: string, isApproved: boolean): boolean {
    const queued = this.queue.get(id);
    if (queued?.status !== "pending") return false;
    const asked = this.pending.get(id);
    this.queue.set(id, { ...queued, status: isApproved ? "approved" : "denied" });
    if (asked === undefined) return true;
    asked.cancel();
    this.pending.delete(id);
    this.ports.answer(asked, { behavior: isApproved ? "allow" : "deny" }, "owner");
    return true;
  }

  /** The session ended: its process has withdrawn what it asked. What was refused for want of an answer stays to be seen. */
  cancelSession(sessionId: string): void {
    for (const { id } of this.getPendingForSession(sessionId)) this.closed(id, false);
  }

  shutdown(): void {
    for (const { cancel } of this.pending.values()) cancel();
    this.pending.clear();
    this.queue.clear();
  }

  private expire(id: string, wasQueued: boolean): void {
    const asked = this.pending.get(id);
    if (asked === undefined) return;
    const queued = { ...asked, status: wasQueued ? "expired" : "pending", isOver: true } as const;
    this.pending.delete(id);
    this.enqueue(queued);
    this.ports.answer(asked, { behavior: "deny", message: LATE }, "time");
  }

  private enqueue(request: QueuedRequest): void {
    this.queue.set(request.id, request);
    const [oldest] = this.queue.keys();
    if (this.queue.size > QUEUE_MAX && oldest !== undefined) this.queue.delete(oldest);
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
