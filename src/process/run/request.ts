// Facts about a call for the store: its origin, its request key, and the client to signal about the run it started.

import { messageOf } from "../../abi/errno.ts";
import type { Origin } from "../../abi/process/message.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";

export function originOf({ caller, client }: CallContext): Origin {
  if (caller.pid !== undefined) return { kind: "process", uid: caller.uid, pid: caller.pid };
  return {
    kind: "client",
    uid: caller.uid,
    clientId: client?.clientId ?? "kernel",
    ...(client === undefined ? {} : { cwd: client.cwd }),
  };
}

/** Request ids are chosen by clients; the uid keeps those of two accounts apart. */
export function keyOf({ caller, requestId }: CallContext): string {
  return `${caller.uid}:${requestId}`;
}

export interface RoutePorts {
  readonly bus: Bus;
  readonly kernel: KernelStore;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Signals about the run go to the client that started it, even from the next kernel. A failure is only logged: the client can also poll.
 */
export async function routeTo(
  { bus, kernel, clock, log }: RoutePorts,
  { caller, client }: CallContext,
  run: { readonly runId: string; readonly pid: string },
): Promise<void> {
  if (client === undefined) return;
  bus.startedBy(run.runId, client.clientId);
  await kernel.routes
    .add({ ...run, uid: caller.uid, connectionId: client.clientId, now: clock.now() })
    .catch((error: unknown) => {
      log(`run ${run.runId} has no route: ${messageOf(error)}`);
    });
}
