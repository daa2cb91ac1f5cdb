// Default host directory of a process without one: the working directory of the sender, else the one attached to an ancestor.

import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";

const ANCESTORS_MAX = 8;

export interface DirectoryPorts {
  readonly kernel: Pick<KernelStore, "processes" | "attachments">;
  readonly processes: Pick<ProcessStore, "head" | "context">;
}

export async function personsDirectory({ kernel, processes }: DirectoryPorts, pid: string): Promise<string | null> {
  const { currentRun } = await processes.head(pid);
  for (const { role, runId, origin } of await processes.context(pid))
    if (role === "user" && runId === currentRun && origin?.kind === "client" && origin.cwd !== undefined)
      return origin.cwd;
  let parent = (await kernel.processes.get(pid))?.parentPid ?? null;
  for (let level = 0; parent !== null && level < ANCESTORS_MAX; level++) {
    const row = await kernel.processes.get(parent);
    const [attached] = row === null ? [] : await kernel.attachments.of(row.workspaceId ?? row.pid);
    if (attached !== undefined) return attached;
    parent = row?.parentPid ?? null;
  }
  return null;
}
