// Watches as their owner sees them. Needs no kernel.

import type { Watch } from "../../abi/watch.ts";
import type { Clock } from "../../lib/clock.ts";
import type { WatchRow } from "../../store/kernel/due/watches.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { WatchedSignals } from "../../syscalls/due/signal-service.ts";

export interface WatchListPorts {
  readonly kernel: Pick<KernelStore, "watches">;
  readonly clock: Clock;
}

export function watchList({ kernel, clock }: WatchListPorts): WatchedSignals["list"] {
  return async ({ ownerUid }) => ({ watches: (await kernel.watches.list(ownerUid, clock.now())).map(shownWatch) });
}

export function shownWatch({ id: _id, ownerUid: _uid, creator: _creator, state: _state, ...watch }: WatchRow): Watch {
  return watch;
}
