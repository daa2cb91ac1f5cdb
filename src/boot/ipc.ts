// Builds what needs the processes: calls between them, watches of their events, and the handlers of what is due.

import { uuidv7 } from "../abi/ids.ts";
import { NO_CAUSE } from "../abi/process/cause.ts";
import { Calls } from "../due/ipc/calls.ts";
import { ipcService } from "../due/ipc/service.ts";
import { creatorOf } from "../due/starts.ts";
import { watchesService } from "../due/watches/service.ts";
import { Watches } from "../due/watches/watches.ts";
import { endSignals } from "../process/life/ledger.ts";
import type { WatchedSignals } from "../syscalls/due/signal-service.ts";
import type { Ipc } from "../syscalls/proc/ipc-service.ts";
import type { Core, ProcessParts } from "./core.ts";
import type { DueParts } from "./due.ts";

export interface IpcParts {
  readonly calls: Calls;
  readonly ipc: Ipc;
  readonly watches: Watches;
  readonly watched: WatchedSignals;
}

type CallParts = Pick<ProcessParts, "ledger" | "runners" | "control">;

export function bootIpc(core: Core, parts: CallParts & Pick<DueParts, "notifier">): IpcParts {
  return { ...bootCalls(core, parts), ...bootWatches(core, parts) };
}

function bootWatches(core: Core, { notifier }: Pick<DueParts, "notifier">): Pick<IpcParts, "watches" | "watched"> {
  const { kernel, processes: store, machine, callers, bus, onFault, unloggedSysFor: sysFor } = core;
  const { clock, random } = machine;
  const watches = new Watches({
    ...{ kernel, store, bus, clock, random, notifier, onFault, sysFor },
    creatorOf: ({ creator, ownerUid }) => creatorOf({ kernel, callers }, creator, ownerUid),
  });
  return { watches, watched: watchesService({ kernel, clock, random, watches, arm: () => core.claims.arm() }) };
}

function bootCalls(core: Core, { ledger, runners, control }: CallParts): Pick<IpcParts, "calls" | "ipc"> {
  const { kernel, processes: store, machine, callers, bus, onFault, unloggedSysFor: sysFor } = core;
  const { clock, random } = machine;
  const calls = new Calls({
    ...{ kernel, bus, clock, onFault, sysFor, due: (at: number | null) => core.claims.expect(at) },
    async callerOf({ sourcePid, ownerUid }) {
      if (sourcePid === null) return await callers.person(ownerUid, "/");
      const row = await kernel.processes.get(sourcePid);
      return row === null ? null : await callers.process(row);
    },
    owner: (uid) => callers.person(uid, "/"),
    async note(pid, { key, from, run, text, wakes }) {
      const row = await kernel.processes.get(pid);
      if (row === null || row.phase !== "live") return;
      const cause = run === null ? NO_CAUSE : await store.causeOf(from, run).catch(() => NO_CAUSE);
      const origin = { kind: "process", uid: row.ownerUid, pid: from, ...(cause.hops > 0 && { cause }) } as const;
      const runId = wakes ? uuidv7(clock.now(), random) : null;
      const event = { kind: "event", runId, wakes, urgent: false, source: null, requestKey: key } as const;
      await ledger.write(row, async () => {
        const admitted = await store.admit(pid, { ...event, text, origin, now: clock.now() });
        await ledger.publish(row, admitted.ok ? endSignals(admitted.value.ends) : []);
      });
      if (wakes) runners.wake(pid);
    },
    async withdraw(pid, runId, requestKey) {
      const row = await kernel.processes.get(pid);
      if (row?.phase === "live")
        await control.abort(row, { runId, requestKey, reason: "ipc.timeout", onlyQueued: true });
    },
  });
  return { calls, ipc: ipcService({ kernel, clock, random, sysFor, calls }) };
}

/** What the kernel does with claims of each kind. */
export function claimHandlers(
  { kernel }: Core,
  { scheduler, notifier, calls, watches, policy, budgets, pausedRuns }: ProcessParts & DueParts & IpcParts,
): Parameters<Core["claims"]["begin"]>[0] {
  return {
    schedule: (claims) => scheduler.claimed(claims),
    notification: (claims) => notifier.claimed(claims),
    call: (claims) => calls.claimed(claims),
    request: (claims) => policy.questions.claimed(claims),
    async watch(claims) {
      for (const { id } of claims) watches.forget(id);
    },
    async run(claims) {
      let limits = false;
      for (const { id } of claims) {
        const row = await kernel.processes.get(id);
        limits ||= row?.waitsFor?.kind === "limit";
        if (row !== null) await pausedRuns.due(row);
      }
      if (limits) await budgets.resumeAllowed(null);
    },
  };
}
