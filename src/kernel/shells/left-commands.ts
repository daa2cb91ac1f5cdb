// Ends the commands on the host that an earlier kernel left running and that no run of their process waits for.

import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { HostCommands } from "../../targets/host.ts";
import type { ShellTable } from "./shells.ts";

export interface LeftCommandPorts {
  readonly kernel: Pick<KernelStore, "processes">;
  readonly processes: Pick<ProcessStore, "head">;
}

export async function endLeftCommands(
  { kernel, processes }: LeftCommandPorts,
  commands: Pick<HostCommands, "list">,
  table: Pick<ShellTable, "endOfProcess">,
): Promise<void> {
  const running = commands.list().filter(({ exit }) => exit === null);
  for (const pid of new Set(running.flatMap(({ meta }) => meta.pid ?? []))) {
    const isLive = (await kernel.processes.get(pid)) !== null;
    if (!isLive || (await processes.head(pid)).currentRun === null) table.endOfProcess(pid);
  }
}
