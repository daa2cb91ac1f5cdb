// Limits of a run, from the settings of its owner, its process and the client that started it.

import type { Offer } from "../../kernel/models/model-access.ts";
import { settingsFor } from "../../kernel/settings/config.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Offers } from "../life/offers.ts";
import { withOwn } from "../life/own-settings.ts";

export interface RunLimitPorts {
  readonly kernel: KernelStore;
  readonly offers: Offers;
}

export async function runTimeoutMs(
  { kernel, offers }: RunLimitPorts,
  { pid, ownerUid: uid }: ProcessRow,
  runId: string,
): Promise<number> {
  const setting = await settingsFor(kernel.config, { uid, client: offers.of({ pid, runId, uid }) });
  return Number(setting("run.timeoutMs").text);
}

export async function runBounds({ kernel, offers }: RunLimitPorts, { pid, ownerUid: uid }: ProcessRow, runId: string) {
  const offer: Offer | undefined = await withOwn(kernel, pid, offers.of({ pid, runId, uid }));
  const setting = await settingsFor(kernel.config, { uid, client: offer });
  return {
    turnsMax: Number(setting("run.maxTurns").text),
    outputTokens: Number(setting("ai.maxTokens").text),
    parallel: Number(setting("ai.parallel").text),
  };
}

/**
 * Number of user messages after which the model gets a shorter context; null for never. The default applies only to sessions of other
 * channels.
 */
export async function contextResetTurns(
  { kernel }: Pick<RunLimitPorts, "kernel">,
  { pid, ownerUid: uid }: ProcessRow,
  isExternal: (pid: string) => Promise<boolean>,
): Promise<number | null> {
  const { layer, text } = (await settingsFor(kernel.config, { uid, client: undefined }))("session.contextResetTurns");
  const turns = Number(text);
  return turns === 0 || (layer === "default" && !(await isExternal(pid))) ? null : turns;
}
