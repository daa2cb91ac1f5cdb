// Facts about a call for the store: its origin, its request key, and the client to signal about the run it started.

import { messageOf, SysError } from "../../abi/errno.ts";
import { type Cause, HOPS_MAX } from "../../abi/process/cause.ts";
import type { Origin } from "../../abi/process/message.ts";
import { NO_DIRECTORY } from "../../abi/sys.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";

export function originOf({ caller, client }: CallContext): Origin {
  if (caller.pid !== undefined) return { kind: "process", uid: caller.uid, pid: caller.pid };
  return {
    kind: "client",
    uid: caller.uid,
    clientId: client?.clientId ?? "kernel",
    ...(client === undefined || client.cwd === NO_DIRECTORY ? {} : { cwd: client.cwd }),
  };
}

/**
 * The cause that a message carries on: that of the run which sends it, one step further. Throws if processes have sent too many messages in a
 * row without a person.
 */
export async function causeFrom(store: Pick<ProcessStore, "causeOf">, { caller }: CallContext): Promise<Cause | null> {
  if (caller.pid === undefined || caller.cause !== undefined) return caller.cause ?? null;
  const { hops, watches } = await store.causeOf(caller.pid);
  if (hops < HOPS_MAX) return { hops: hops + 1, watches };
  throw new SysError("ELOOP", `not sent: ${HOPS_MAX} messages between processes led to this run`, [
    "a message of a person starts a new chain",
  ]);
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
