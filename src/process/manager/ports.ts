// What a process manager is given of gsv, and what other parts may add to it. Without a kernel it knows its sessions and starts nothing.

import type { RandomBytes } from "../../abi/ids.ts";
import type { Signal } from "../../abi/signal.ts";
import type { Sys } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SessionRow } from "../../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { ContextResets } from "../history/context-reset.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Timeouts } from "../limits/timeouts.ts";
import type { Runners } from "../run/runners.ts";
import type { ToolServer, ToolServers } from "../run/tool-servers.ts";

/** A kernel, as far as sessions need one. */
export interface Engine {
  readonly kernel: Pick<KernelStore, "processes" | "projects" | "credits">;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly timeouts: Timeouts;
  readonly contextResets: ContextResets;
  readonly servers: ToolServers;
  readonly random: RandomBytes;
  /** The door of whoever owns a session. */
  readonly sysOf: (ownerUid: number) => Sys;
  /** Everything that is signalled of everybody, until the returned function is called. */
  readonly hear: (listener: (signal: Signal) => void) => () => void;
}

export interface ManagerPorts {
  readonly engine?: Engine;
  readonly clock?: Clock;
  readonly onFault?: (error: unknown) => void;
  /** Tools that a session has besides those of gsv, opened with the services that were set; closed on every way out of it. */
  readonly toolsOf?: (session: SessionRow, services: readonly unknown[]) => Promise<ToolServer>;
}
