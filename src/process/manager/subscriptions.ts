// Subscribers of single sessions and of all sessions. A callback is called once per event, in order of subscription, those of the session
// first. A callback may throw or unsubscribe while it is called without affecting others.

import type { ClaudeStreamEvent, EventCallback } from "./events.ts";

export class SessionEventBus {
  private readonly bySession = new Map<string, { readonly callbacks: Set<EventCallback>; readonly since: number }>();
  private readonly ofAll = new Set<EventCallback>();

  constructor(private readonly onFault: (error: unknown) => void) {}

  get sessions(): number {
    return this.bySession.size;
  }

  get globals(): number {
    return this.ofAll.size;
  }

  subscribe(sessionId: string, callback: EventCallback, now: number): void {
    const known = this.bySession.get(sessionId);
    if (known !== undefined) known.callbacks.add(callback);
    else this.bySession.set(sessionId, { callbacks: new Set([callback]), since: now });
  }

  unsubscribe(sessionId: string, callback: EventCallback): void {
    const known = this.bySession.get(sessionId);
    known?.callbacks.delete(callback);
    if (known?.callbacks.size === 0) this.bySession.delete(sessionId);
  }

  subscribeAll(callback: EventCallback): void {
    this.ofAll.add(callback);
  }

  unsubscribeAll(callback: EventCallback): void {
    this.ofAll.delete(callback);
  }

  emit(sessionId: string, event: ClaudeStreamEvent): void {
    const own = this.bySession.get(sessionId)?.callbacks ?? [];
    for (const callback of new Set([...own, ...this.ofAll])) this.tell(callback, sessionId, event);
  }

  tell(callback: EventCallback, sessionId: string, event: ClaudeStreamEvent): void {
    try {
      callback(sessionId, { session_id: sessionId, ...event });
    } catch (error) {
      this.onFault(error);
    }
  }

  clear(sessionId: string): void {
    this.bySession.delete(sessionId);
  }

  clearSessions(): void {
    this.bySession.clear();
  }

  since(): ReadonlyMap<string, number> {
    return new Map([...this.bySession].map(([id, { since }]) => [id, since]));
  }
}
