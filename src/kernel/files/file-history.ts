// Records who changes which file, for all changes through gsv: file tools, scripts, people's commands. A failure to record does not undo
// the change.

import type { ChangeListener } from "../../../fs/disk/recorded.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { FileTarget } from "../../syscalls/fs/files-service.ts";

export interface NotedWritesPorts {
  readonly kernel: Pick<KernelStore, "fileWrites" | "processes">;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function notedWrites({ kernel, clock, onFault }: NotedWritesPorts, target: FileTarget): ChangeListener {
  return async (caller, { verb, path, version, movedFrom }) => {
    const { uid, pid = null, doing } = caller;
    try {
      const runId = await runOf(kernel, caller);
      const [callId, tool] = [doing?.call ?? null, doing?.tool ?? null];
      await kernel.fileWrites.add({
        ...{ at: clock.now(), target, path, verb, uid, pid, runId, callId, tool, version, movedFrom },
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) onFault(error);
    }
  };
}

/** The run of the call, else the process's current run; null for a person. */
export async function runOf(
  { processes }: Pick<KernelStore, "processes">,
  { pid, doing }: Pick<Caller, "pid" | "doing">,
): Promise<string | null> {
  if (doing !== undefined || pid === undefined) return doing?.run ?? null;
  return (await processes.get(pid))?.activeRunId ?? null;
}
