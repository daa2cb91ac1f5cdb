// What a compaction of a process depends on: the settings of its owner and the window of the model.

import type { Model } from "../../../kernel/models/model.ts";
import { settingsFor } from "../../../kernel/settings/config.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { Facts } from "./compactor.ts";

export async function factsFor(
  { config }: Pick<KernelStore, "config">,
  { ownerUid }: ProcessRow,
  model: Model,
): Promise<Facts> {
  const setting = await settingsFor(config, { uid: ownerUid, client: undefined });
  const number = (name: Parameters<typeof setting>[0]) => Number(setting(name).text);
  const ifSet = (name: Parameters<typeof setting>[0]) => (setting(name).layer === "default" ? null : number(name));
  const assumed = { windowTokens: number("ai.contextWindowTokens"), outputTokens: number("ai.maxTokens") };
  return {
    enabled: setting("compaction.enabled").text === "true",
    extractMemories: setting("compaction.extractMemories").text === "true",
    reserveTokens: ifSet("compaction.reserveTokens"),
    keepRecentTokens: ifSet("compaction.keepRecentTokens"),
    window: model.window ?? assumed,
  };
}
