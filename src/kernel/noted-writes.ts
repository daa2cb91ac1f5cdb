// Notes who changes which file, for every change that goes through gsv: file tools, scripts, commands of people. A change that cannot be noted
// was made all the same.

import type { Noted } from "../../fs/noted.ts";
import type { Clock } from "../lib/clock.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../store/open.ts";
import type { FileTarget } from "../syscalls/files-service.ts";

export interface NotedWritesPorts {
  readonly kernel: Pick<KernelStore, "fileWrites" | "processes">;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function notedWrites({ kernel, clock, onFault }: NotedWritesPorts, target: FileTarget): Noted {
  return async ({ uid, pid = null, doing }, { verb, path, version, movedFrom }) => {
    try {
      const runId = doing?.run ?? (pid === null ? null : ((await kernel.processes.get(pid))?.activeRunId ?? null));
      const [callId, tool] = [doing?.call ?? null, doing?.tool ?? null];
      await kernel.fileWrites.add({
        ...{ at: clock.now(), target, path, verb, uid, pid, runId, callId, tool, version, movedFrom },
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) onFault(error);
    }
  };
}
