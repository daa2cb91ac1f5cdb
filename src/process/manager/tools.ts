// Tools of servers that sessions have: opened when a session starts, or when the kernel takes its run up by itself, and closed with it. A
// session has one server; while it is held, by an outage or for a restart, that stays open.

import type { SessionRow, SessionRows } from "../../store/kernel/processes/sessions.ts";
import type { ManagerPorts } from "./ports.ts";

interface SessionToolPorts extends Pick<ManagerPorts, "engine" | "toolsOf" | "onFault"> {
  readonly sessions: Pick<SessionRows, "ofProcess">;
  /** It is being stopped, or all are. */
  readonly isOver: (sessionId: string) => boolean;
}

interface Opened {
  readonly pid: string;
  readonly close: () => Promise<void>;
}

export class SessionTools {
  private services: readonly unknown[] = [];
  private readonly bySession = new Map<string, Promise<Opened | null>>();

  constructor(private readonly ports: SessionToolPorts) {
    const { engine, sessions, toolsOf, isOver, onFault } = ports;
    if (toolsOf === undefined) return;
    engine?.servers.openedBy(async (pid) => {
      const session = await sessions.ofProcess(pid);
      if (session !== null && !isOver(session.id)) await this.open(session, pid).catch((error) => onFault?.(error));
    });
  }

  /** What servers are opened with, from the next one on. */
  set(services: readonly unknown[]): void {
    this.services = services;
  }

  /** Once for a session and its process. */
  async open(session: SessionRow, pid: string): Promise<void> {
    const there = this.bySession.get(session.id);
    if (there !== undefined && (await there.catch(() => null))?.pid === pid) return;
    await this.close(session.id);
    const opening = this.opened(session, pid);
    this.bySession.set(session.id, opening);
    try {
      await opening;
    } catch (error) {
      if (this.bySession.get(session.id) === opening) this.bySession.delete(session.id);
      throw error;
    }
  }

  async close(sessionId: string): Promise<void> {
    const opening = this.bySession.get(sessionId);
    this.bySession.delete(sessionId);
    await (await opening?.catch(() => null))?.close();
  }

  /** For whoever cannot wait for it. */
  closing(sessionId: string): void {
    void this.close(sessionId).catch((error: unknown) => this.ports.onFault?.(error));
  }

  private async opened(session: SessionRow, pid: string): Promise<Opened | null> {
    const server = await this.ports.toolsOf?.(session, this.services);
    if (server === undefined) return null;
    try {
      const letGo = this.ports.engine?.servers.hold(pid, server);
      return {
        pid,
        async close() {
          letGo?.();
          await server.close();
        },
      };
    } catch (error) {
      await server.close();
      throw error;
    }
  }
}
