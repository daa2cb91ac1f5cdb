// Delivers events of schedules: messages of gsv itself, which start a run.

import { SysError } from "../abi/errno.ts";
import { type Caller, mayUse } from "../abi/identity.ts";
import { uuidv7 } from "../abi/ids.ts";
import { visibleProcess } from "../kernel/registry.ts";
import { endSignals, type LedgerPorts } from "../process/life/ledger.ts";
import { taken } from "../process/life/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ScheduleEvent } from "./starts.ts";

export interface DeliverPorts extends LedgerPorts {
  readonly kernel: Pick<KernelStore, "processes" | "archives" | "requests">;
  readonly random: (length: number) => Uint8Array;
  readonly wake: (pid: string) => void;
}

export async function deliver(
  { kernel, store, ledger, clock, random, wake }: DeliverPorts,
  caller: Caller,
  { pid, text, requestKey }: ScheduleEvent,
): Promise<string> {
  if (!mayUse(caller, "proc.send")) throw new SysError("EPERM", `${caller.username} may not send to ${pid}`);
  const row = await visibleProcess(kernel, caller, pid);
  const now = clock.now();
  const runId = uuidv7(now, random);
  const event = { kind: "event", runId, wakes: true, urgent: false, source: null, origin: { kind: "kernel" } } as const;
  return await ledger.write(row, async () => {
    const admitted = taken(pid, await store.admit(pid, { ...event, text, requestKey, now }));
    try {
      await ledger.publish(row, endSignals(admitted.ends, (await store.projection(pid)).queued));
    } finally {
      wake(pid);
    }
    return admitted.runId ?? runId;
  });
}
