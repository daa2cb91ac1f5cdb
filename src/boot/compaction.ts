// Builds compaction, and the memory that it writes.

import { systemText } from "../abi/process/prompt.ts";
import { Compactor } from "../process/history/compaction/compactor.ts";
import { extractMemories, remember } from "../process/history/compaction/memory.ts";
import { compactionService } from "../process/history/compaction/service.ts";
import { fork } from "../process/history/fork.ts";
import type { Ledger } from "../process/life/ledger.ts";
import type { SpawnPorts } from "../process/life/spawn.ts";
import { modelsOfIdle } from "../process/run/model-choice.ts";
import type { RunPorts } from "../process/run/run.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { Conversations } from "../syscalls/proc/history-service.ts";
import type { Core, ProcessParts } from "./core.ts";

export interface CompactionParts extends Pick<RunPorts, "promptOf" | "offered"> {
  readonly ledger: Ledger;
}

export function bootCompaction(core: Core, { ledger, promptOf, offered }: CompactionParts): Compactor {
  const { kernel, processes: store, objects, machine } = core;
  const { clock, log } = machine;
  return new Compactor({
    store,
    ledger,
    clock,
    config: kernel.config,
    async fixedBytes(row) {
      return (
        Buffer.byteLength(systemText(await promptOf(row))) + Buffer.byteLength(JSON.stringify(await offered.specs(row)))
      );
    },
    async about(row) {
      const home = (await kernel.accounts.byUid(row.ownerUid))?.home ?? "/";
      return { pid: row.pid, home, cwd: row.cwd };
    },
    remember: (row, memories, at) => remember({ kernel, objects, clock, log }, row, memories, at),
  });
}

export function memoryExtractor(core: Core, compactor: Compactor): (row: ProcessRow) => Promise<void> {
  const { kernel, machine } = core;
  const { clock, log } = machine;
  const modelsOf = (of: ProcessRow) => modelsOfIdle(core, of);
  return (row) => extractMemories({ kernel, compactor, modelsOf, clock, log }, row);
}

export function conversationsOf(
  core: Core,
  { ledger, compactor }: Pick<ProcessParts, "ledger" | "compactor">,
  spawning: SpawnPorts,
): Conversations {
  const { kernel, processes: store, machine } = core;
  const service = compactionService({
    kernel,
    store,
    ledger,
    compactor,
    now: () => machine.clock.now(),
    modelsOf: (context, row) => modelsOfIdle(core, row, context),
  });
  return { ...service, fork: (context, request) => fork(spawning, context, request) };
}
