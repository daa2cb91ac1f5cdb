// Chooses the model of a message, for every way a message takes: the model named with the message, else the model of the process, else that of
// the agent the process acts as, else the owner's settings and the environment of the client. Only a person names a model: an agent must not
// decide what a model costs and which server reads the text.

import { SysError } from "../../abi/errno.ts";
import { NO_USAGE } from "../../abi/process/process.ts";
import { THINKING, type Thinking, thinkingNamed } from "../../abi/process/session.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Models } from "../../kernel/models/models.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { settingsFor } from "../../kernel/settings/config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ModelService, ProcessModel } from "../../syscalls/run/ai.ts";
import { mayRetry, type PausedRuns } from "../faults/paused-runs.ts";
import type { Offers } from "../life/offers.ts";
import { keepOwn, ownSettings, withOwn } from "../life/own-settings.ts";

export interface ModelChoicePorts {
  readonly kernel: KernelStore;
  readonly models: Models;
  readonly offers: Offers;
  readonly clock: Clock;
  readonly pausedRuns: PausedRuns;
}

export interface Addressee {
  /** Null while the process is being created. */
  readonly pid: string | null;
  readonly uid: number;
  readonly ownerUid: number;
}

const keyOf = (pid: string) => `processes/${pid}/model`;

/** The model of the process, else of the agent it acts as. Null: the owner's settings and the client's environment decide. */
export async function modelOfProcess(
  kernel: KernelStore,
  { pid, uid }: Pick<Addressee, "pid" | "uid">,
): Promise<string | null> {
  const own = pid === null ? null : await modelSetFor(kernel, pid);
  return own ?? (await kernel.agents.byUid(uid)).model;
}

export async function modelSetFor({ config }: Pick<KernelStore, "config">, pid: string): Promise<string | null> {
  const key = keyOf(pid);
  return (await config.under(key)).find((row) => row.key === key)?.value ?? null;
}

export async function keepModel(
  { config }: Pick<KernelStore, "config">,
  pid: string,
  value: string | null,
  by: { readonly uid: number; readonly now: number },
): Promise<void> {
  await config.change([{ key: keyOf(pid), value }], by);
}

/** Checked when the message arrives, so that a wrong name fails at its sender and not in the run. Null: the default of the run. */
export async function modelFor(
  { kernel, models, offers }: Pick<ModelChoicePorts, "kernel" | "models" | "offers">,
  context: CallContext,
  addressee: Addressee,
  model: string | undefined,
): Promise<string | null> {
  if (model !== undefined && context.caller.kind !== "person") {
    throw new SysError("EPERM", "only a person chooses the model", ["leave model out"]);
  }
  const asker = { uid: addressee.ownerUid, offer: offers.from(context) };
  return await models.chosen(asker, model ?? (await modelOfProcess(kernel, addressee)));
}

/** Where the model is said that nobody has set for the process or its agent. */
async function sourceOf(
  { config }: Pick<KernelStore, "config">,
  { uid, offer }: Parameters<Models["chosen"]>[0],
): Promise<ProcessModel["by"]> {
  const setting = await settingsFor(config, { uid, client: offer });
  const said = [setting("ai.model"), setting("ai.provider")].find(({ text }) => text.trim() !== "");
  return said?.layer === "environment" || said?.layer === "flag" ? said.layer : "account";
}

export function modelService(ports: ModelChoicePorts): ModelService {
  const { kernel, models, offers, clock, pausedRuns } = ports;
  const askerOf = (context: CallContext, uid = context.caller.ownerUid) => ({ uid, offer: offers.from(context) });
  return {
    list: (context, provider) => models.list(askerOf(context), provider, context.signal),
    async test(context, model) {
      const trial = await models.test(askerOf(context), model, context.signal);
      const { usage, priced, ms, model: name } = trial;
      const spent = { model: name, usage: usage ?? NO_USAGE, priced, ms };
      if (usage !== null)
        await kernel.usage.charge({ ownerUid: context.caller.ownerUid, pid: null }, { ...spent, now: clock.now() });
      return trial;
    },
    async ofProcess(context, pid, model) {
      const row = await visibleProcess(kernel, context.caller, pid);
      const asker = askerOf(context, row.ownerUid);
      if (model !== undefined) {
        if (context.caller.kind === "process")
          throw new SysError("EPERM", "only a person chooses the model of a process");
        const value = model.trim() === "" ? null : await models.chosen(asker, model);
        await keepModel(kernel, row.pid, value, { uid: context.caller.uid, now: clock.now() });
        // A paused run continues with the new model.
        if (value !== null && mayRetry(row.waitsFor)) await pausedRuns.resume(row, value);
      }
      const set = await modelSetFor(kernel, row.pid);
      const meant = await modelOfProcess(kernel, row);
      const [first] = await models.reach(asker, meant ?? (await models.chosen(asker, null)));
      const by = set !== null ? "process" : meant !== null ? "agent" : await sourceOf(kernel, asker);
      return { pid: row.pid, model: set, answers: first.name, by };
    },
    async thinking(context, pid, said) {
      const row = await visibleProcess(kernel, context.caller, pid);
      const level = said === undefined || said.trim() === "" ? null : thinkingNamed(said.trim());
      if (said !== undefined) {
        if (context.caller.kind === "process")
          throw new SysError("EPERM", "only a person sets the thinking level of a process");
        if (said.trim() !== "" && level === null)
          throw new SysError("EINVAL", `no such level: ${said.slice(0, 40).toWellFormed()}`, [
            `levels are ${THINKING.join(", ")}`,
          ]);
        const by = { uid: context.caller.uid, now: clock.now() };
        await keepOwn(kernel, row.pid, { name: "thinkingLevel", value: level }, by);
      }
      const setting = await settingsFor(kernel.config, { uid: row.ownerUid, client: undefined });
      const { thinkingLevel } = await ownSettings(kernel, row.pid);
      return { pid: row.pid, thinking: thinkingLevel as Thinking | null, usual: setting("ai.reasoning").text };
    },
  };
}

type ReachablePorts = Pick<ModelChoicePorts, "kernel" | "models" | "offers">;
type Reachable = readonly [Model, ...Model[]];

export async function modelsOfRun(
  { kernel, models, offers }: ReachablePorts,
  row: ProcessRow,
  run: { readonly runId: string; readonly model: string | null },
): Promise<Reachable> {
  const { pid, ownerUid: uid } = row;
  const named = run.model ?? (await modelOfProcess(kernel, row));
  return models.reach({ uid, offer: await withOwn(kernel, pid, offers.of({ pid, runId: run.runId, uid })) }, named);
}

/** Outside of a run. The client of the caller counts only for processes of the same owner. */
export async function modelsOfIdle(
  { kernel, models, offers }: ReachablePorts,
  row: ProcessRow,
  context?: CallContext,
): Promise<Reachable> {
  const { pid, ownerUid: uid } = row;
  const own = context?.caller.ownerUid === uid ? offers.from(context) : undefined;
  return models.reach({ uid, offer: own ?? offers.of({ pid, runId: "", uid }) }, await modelOfProcess(kernel, row));
}
