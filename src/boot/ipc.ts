// Builds calls between processes. Their messages and notes need the processes.

import { Calls } from "../due/ipc/calls.ts";
import { ipcService } from "../due/ipc/service.ts";
import { endSignals } from "../process/life/ledger.ts";
import type { Ipc } from "../syscalls/proc/ipc-service.ts";
import type { Core, ProcessParts } from "./core.ts";

export interface IpcParts {
  readonly calls: Calls;
  readonly ipc: Ipc;
}

export function bootIpc(core: Core, { ledger }: Pick<ProcessParts, "ledger">): IpcParts {
  const { kernel, processes: store, machine, callers, bus, onFault, unloggedSysFor: sysFor } = core;
  const { clock, random } = machine;
  const calls = new Calls({
    ...{ kernel, bus, clock, queue: core.queue, onFault, sysFor },
    async callerOf({ sourcePid, ownerUid }) {
      if (sourcePid === null) return await callers.person(ownerUid, "/");
      const row = await kernel.processes.get(sourcePid);
      return row === null ? null : await callers.process(row);
    },
    owner: (uid) => callers.person(uid, "/"),
    async note(pid, { key, from, text }) {
      const row = await kernel.processes.get(pid);
      if (row === null || row.phase !== "live") return;
      const origin = { kind: "process", uid: row.ownerUid, pid: from } as const;
      const event = { kind: "event", runId: null, wakes: false, urgent: false, source: null, requestKey: key } as const;
      await ledger.write(row, async () => {
        const admitted = await store.admit(pid, { ...event, text, origin, now: clock.now() });
        await ledger.publish(row, admitted.ok ? endSignals(admitted.value.ends) : []);
      });
    },
  });
  return { calls, ipc: ipcService({ kernel, clock, random, sysFor, calls }) };
}
