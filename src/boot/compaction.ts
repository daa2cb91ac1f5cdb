// Compaction, put together: where its settings come from, how big a model's window is, and where what should last is written.

import { messageOf } from "../abi/errno.ts";
import { systemText } from "../abi/process/prompt.ts";
import type { Core } from "../boot.ts";
import type { Model } from "../kernel/models/model.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import { Compactor, type Facts } from "../process/history/compaction/compactor.ts";
import { remember } from "../process/history/compaction/memory.ts";
import { compactionService } from "../process/history/compaction/service.ts";
import { fork } from "../process/history/fork.ts";
import type { Ledger } from "../process/life/ledger.ts";
import type { SpawnPorts } from "../process/life/spawn.ts";
import { modelOfProcess } from "../process/run/model-choice.ts";
import type { RunPorts } from "../process/run/run.ts";
import { OFFLINE } from "../providers/table.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { Conversations } from "../syscalls/proc/history-service.ts";
import type { ProcessParts } from "./processes.ts";

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
    facts: (row, model) => factsFor(core, row, model),
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
        log(`what should last of ${pid} was not written down: ${messageOf(error)}`),
      );
    },
  });
}

export function lastingKeeper(
  { kernel, machine, models, offers }: Core,
  compactor: Compactor,
): (row: ProcessRow) => Promise<void> {
  const { clock, log, providers } = machine;
  return async (row) => {
    // Who answers in a test answers what it planned.
    if (providers !== undefined) return;
    const { keepLasting } = await import("../process/history/compaction/lasting.ts");
    const modelsOf = async (of: ProcessRow) => {
      const uid = of.ownerUid;
      const offer = offers.of({ pid: of.pid, runId: "", uid });
      return await models.reach({ uid, offer }, await modelOfProcess(kernel, of));
    };
    await keepLasting({ compactor, modelsOf, usage: kernel.usage, clock, log }, row);
  };
}

export function conversationsOf(
  { kernel, processes: store, machine, models, offers }: Core,
  { ledger, compactor }: Pick<ProcessParts, "ledger" | "compactor">,
  spawning: SpawnPorts,
): Conversations {
  const { clock, providers } = machine;
  return {
    ...compactionService({
      ...{ kernel, store, ledger, compactor },
      now: () => clock.now(),
      async modelsOf(context, { pid, uid: acting, ownerUid: uid }) {
        const named = await modelOfProcess(kernel, { pid, uid: acting });
        if (providers !== undefined)
          return [
            {
              ...(await providers(named)),
              name: named ?? OFFLINE.provider,
              missing: null,
              keyMark: null,
              window: null,
              rate: { price: null, isOwn: false },
            },
          ];
        // What root's own client brings is not for the runs of others.
        const own = context.caller.ownerUid === uid ? offers.from(context) : undefined;
        return await models.reach({ uid, offer: own ?? offers.of({ pid, runId: "", uid }) }, named);
      },
    }),
    fork: (context, request) => fork(spawning, context, request),
  };
}

async function factsFor({ kernel }: Core, { ownerUid }: ProcessRow, model: Model): Promise<Facts> {
  const setting = await settingsFor(kernel.config, { uid: ownerUid, client: undefined });
  const number = (name: Parameters<typeof setting>[0]) => Number(setting(name).text);
  const whereSet = (name: Parameters<typeof setting>[0]) => (setting(name).layer === "default" ? null : number(name));
  const assumed = { windowTokens: number("ai.contextWindowTokens"), outputTokens: number("ai.maxTokens") };
  return {
    enabled: setting("compaction.enabled").text === "true",
    extractMemories: setting("compaction.extractMemories").text === "true",
    reserveTokens: whereSet("compaction.reserveTokens"),
    keepRecentTokens: whereSet("compaction.keepRecentTokens"),
    window: model.window ?? assumed,
  };
}
