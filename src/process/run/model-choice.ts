// Which model answers a message: the one named with it, else the one set for its process, else whatever the account and its client say. Only
// a person names one: what a model costs and who reads along is no agent's to decide.

import { SysError } from "../../abi/errno.ts";
import { NO_USAGE } from "../../abi/process/process.ts";
import { THINKING, type Thinking, thinkingNamed } from "../../abi/process/session.ts";
import type { Models } from "../../kernel/models/models.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { settingsFor } from "../../kernel/settings/config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ModelService, ProcessModel } from "../../syscalls/run/ai-service.ts";
import { type HeldRuns, isHeld } from "../faults/held-runs.ts";
import type { Offers } from "../life/offers.ts";
import { keepOwn, ownSettings } from "../life/own-settings.ts";

export interface ModelChoicePorts {
  readonly kernel: KernelStore;
  readonly models: Models;
  readonly offers: Offers;
  readonly clock: Clock;
  readonly held: HeldRuns;
}

const keyOf = (pid: string) => `processes/${pid}/model`;

/** What was set for a process, or null. */
/** What was set for the process, else for the agent that it acts as. */
export async function modelOfProcess(kernel: KernelStore, pid: string): Promise<string | null> {
  const own = await modelSetFor(kernel, pid);
  if (own !== null) return own;
  const row = await kernel.processes.get(pid);
  return row === null ? null : (await kernel.agents.byUid(row.uid)).model;
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

/** Checked when the message comes, so that a wrong name fails at its sender and not in the run. Null is whoever answers by default. */
export async function modelFor(
  { kernel, models, offers }: Pick<ModelChoicePorts, "kernel" | "models" | "offers">,
  context: CallContext,
  { pid, model }: { readonly pid: string | null; readonly model: string | undefined },
): Promise<string | null> {
  if (model !== undefined && context.caller.kind === "process") {
    throw new SysError("EPERM", "only a person chooses the model", ["leave model out"]);
  }
  const asker = { uid: context.caller.ownerUid, offer: offers.from(context) };
  return await models.chosen(asker, model ?? (pid === null ? null : await modelOfProcess(kernel, pid)));
}

/** Where the model is said that nobody has set for the process or its agent. */
async function saidBy(
  { config }: Pick<KernelStore, "config">,
  { uid, offer }: Parameters<Models["chosen"]>[0],
): Promise<ProcessModel["by"]> {
  const setting = await settingsFor(config, { uid, client: offer });
  const said = [setting("ai.model"), setting("ai.provider")].find(({ text }) => text.trim() !== "");
  return said?.layer === "environment" || said?.layer === "flag" ? said.layer : "account";
}

export function modelService(ports: ModelChoicePorts): ModelService {
  const { kernel, models, offers, clock, held } = ports;
  const askerOf = (context: CallContext) => ({ uid: context.caller.ownerUid, offer: offers.from(context) });
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
      if (model !== undefined) {
        if (context.caller.kind === "process")
          throw new SysError("EPERM", "only a person chooses the model of a process");
        const value = model.trim() === "" ? null : await models.chosen(askerOf(context), model);
        await keepModel(kernel, row.pid, value, { uid: context.caller.uid, now: clock.now() });
        // Whoever waits for the model before it need not any more.
        if (value !== null && isHeld(row.waitsFor)) await held.letGo(row, value);
      }
      const set = await modelSetFor(kernel, row.pid);
      const meant = await modelOfProcess(kernel, row.pid);
      const [first] = await models.reach(askerOf(context), meant ?? (await models.chosen(askerOf(context), null)));
      const by = set !== null ? "process" : meant !== null ? "agent" : await saidBy(kernel, askerOf(context));
      return { pid: row.pid, model: set, answers: first.name, by };
    },
    async thinking(context, pid, said) {
      const row = await visibleProcess(kernel, context.caller, pid);
      const level = said === undefined || said.trim() === "" ? null : thinkingNamed(said.trim());
      if (said !== undefined) {
        if (context.caller.kind === "process")
          throw new SysError("EPERM", "only a person says how much the model of a process thinks");
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
