// Builds compaction, and the memory that it writes.

import { messageOf } from "../abi/errno.ts";
import { systemText } from "../abi/process/prompt.ts";
import { Compactor } from "../process/history/compaction/compactor.ts";
import { factsFor } from "../process/history/compaction/facts.ts";
import { remember } from "../process/history/compaction/memory.ts";
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
    facts: (row, model) => factsFor(kernel, row, model),
    async fixedBytes(row) {
      return (
        Buffer.byteLength(systemText(await promptOf(row))) + Buffer.byteLength(JSON.stringify(await offered.specs(row)))
      );
    },
    async about(row) {
      const home = (await kernel.accounts.byUid(row.ownerUid))?.home ?? "/";
      return { pid: row.pid, home, cwd: row.cwd };
    },
    async remember({ pid, uid }, lasting, at) {
      const agent = lasting.length === 0 ? null : await kernel.accounts.byUid(uid);
      if (agent === null) return;
      await remember({ objects, clock }, agent, { pid, lasting, at }).catch((error: unknown) =>
        log(`cannot write the memory of ${pid}: ${messageOf(error)}`),
      );
    },
  });
}

export function lastingKeeper(core: Core, compactor: Compactor): (row: ProcessRow) => Promise<void> {
  const { kernel, machine } = core;
  const { clock, log } = machine;
  return async (row) => {
    const { keepLasting } = await import("../process/history/compaction/lasting.ts");
    const modelsOf = (of: ProcessRow) => modelsOfIdle(core, of);
    await keepLasting({ compactor, modelsOf, usage: kernel.usage, clock, log }, row);
  };
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
