// A setting as `config get` and `config list` show it: value, layers and allowed values. For secrets only: set, not set, or missing.

import { SETTINGS, type Setting, type SettingName } from "../../abi/config/config.ts";
import { type ConfigLayer, type LayerTexts, resolveSetting, typedValue } from "../../abi/config/config-value.ts";
import type { SettingInfo } from "../../syscalls/services.ts";
import { fingerprint, markFrom, missingSecret, shownSecret } from "./secrets.ts";

/** Layers whose secret is gone although it was set. */
export type Gone = readonly ("system" | "user")[];

export function settingInfo(key: SettingName, said: LayerTexts, gone: Gone): SettingInfo {
  const setting: Setting = SETTINGS[key];
  const { type, doc, env = null, writes } = setting;
  const agents: SettingInfo["agents"] = setting.agents ?? "never";
  const facts = { key, type, takes: takes(setting), doc, env, writes, agents };
  if (type === "secret") return { ...facts, ...secretInfo(said, gone) };
  const { text, layer, layers } = resolveSetting(key, setting, said);
  const inForce = (from: ConfigLayer, value: string) => (from === "default" ? (setting.unset ?? value) : value);
  const shown = layers.map((each) => ({ layer: each.layer, shown: inForce(each.layer, each.text) }));
  const value = layer === "default" && setting.unset !== undefined ? null : typedValue(setting, text);
  return { ...facts, value, shown: inForce(layer, text), layer, layers: shown };
}

interface ShownLayer {
  readonly layer: ConfigLayer;
  readonly shown: string;
}

// A missing secret only wins over the default: a lower layer may have one.
function secretInfo(said: LayerTexts, gone: Gone): Pick<SettingInfo, "value" | "shown" | "layer" | "layers"> {
  const stored = (["system", "user"] as const).flatMap((layer): (ShownLayer & { readonly isGone: boolean })[] => {
    const mark = markFrom(said[layer] ?? "");
    const isGone = gone.includes(layer);
    return mark === null ? [] : [{ layer, isGone, shown: (isGone ? missingSecret : shownSecret)(mark.sha256) }];
  });
  const own = said.environment
    ? [{ layer: "environment" as const, shown: shownSecret(fingerprint(said.environment)) }]
    : [];
  const missing = stored.filter(({ isGone }) => isGone);
  const there: readonly ShownLayer[] = [...stored.filter(({ isGone }) => !isGone), ...own];
  const { layer, shown } = there.at(-1) ?? missing.at(-1) ?? NOT_SET;
  const layers = [NOT_SET, ...stored.map((each) => ({ layer: each.layer, shown: each.shown })), ...own];
  return { value: shown, shown, layer, layers };
}

const NOT_SET: ShownLayer = { layer: "default", shown: "not set" };

function takes({ type, min = 0, max = 0, choices = [], shape = "object" }: Setting): string {
  switch (type) {
    case "int":
      return `a whole number from ${min} to ${max}`;
    case "flag":
      return "true or false";
    case "choice":
      return `one of ${choices.join(", ")}`;
    case "json":
      return `a JSON ${shape}`;
    case "secret":
      return "a secret of at least 8 characters, from stdin or the terminal";
    case "text":
      return "text";
  }
}
