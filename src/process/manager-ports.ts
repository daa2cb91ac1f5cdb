// What a process manager is given of gsv, and what other parts may add to it. Without a kernel it knows its sessions and starts nothing.

import type { Signal } from "../abi/signal.ts";
import type { Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import type { SessionRow } from "../store/kernel/sessions.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { ContextResets } from "./context-reset.ts";
import type { Ledger } from "./ledger.ts";
import type { Runners } from "./runners.ts";
import type { Timeouts } from "./timeouts.ts";

/** A kernel, as far as sessions need one. */
export interface Engine {
  readonly kernel: Pick<KernelStore, "processes" | "approvals">;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly timeouts: Timeouts;
  readonly contextResets: ContextResets;
  /** The door of whoever owns a session. */
  readonly sysOf: (ownerUid: number) => Sys;
  /** Everything that is signalled of everybody, until the returned function is called. */
  readonly hear: (listener: (signal: Signal) => void) => () => void;
}

export interface Project {
  readonly id: string;
  readonly workingDir: string | null;
}

/** What a model is told in a session besides, and which tools it may use: of its persona and its bundles. */
export interface About {
  /** Files that its process is told at every turn. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Null for all there are. */
  readonly tools: readonly string[] | null;
}

/** Tools that a session has besides those of gsv; closed on every way out of it. */
export interface ToolServer {
  close(): Promise<void>;
}

export interface Charged {
  readonly success: boolean;
  readonly isLow: boolean;
  readonly balance: number;
}

export interface ManagerPorts {
  readonly engine?: Engine;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly onFault?: (error: unknown) => void;
  /** Null where there is no such project. */
  readonly projectOf?: (projectId: string) => Project | null;
  readonly aboutOf?: (session: SessionRow) => Promise<About>;
  /** Opened with the services that were set. */
  readonly toolsOf?: (session: SessionRow, services: readonly unknown[], tools: About["tools"]) => Promise<ToolServer>;
  /** One turn of a session of another channel, whose sender is nobody's owner. */
  readonly charge?: (session: SessionRow, sender: string, costUsd: number) => Promise<Charged>;
}

/** Whoever writes in a session of another channel, as its key names them; null in any other session. */
export function senderOf({ key, source }: Pick<SessionRow, "key" | "source">): string | null {
  const [channel, ...rest] = (key ?? "").split(":").slice(2);
  const at = rest.lastIndexOf("dm");
  const sender = at === -1 ? undefined : rest.slice(at + 1).join(":");
  return channel === undefined || channel === "cli" || source === "cli" || !sender ? null : sender;
}
