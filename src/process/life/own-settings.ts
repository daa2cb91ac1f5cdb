// Settings of one process besides its model: thinking level and maximum answer length. They override the account's settings and are
// overridden by flags of a message. They are deleted with the process.

import { SETTINGS, type SettingName } from "../../abi/config/config.ts";
import type { Offer } from "../../kernel/models/model-access.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";

/** Stored name and the setting it overrides. */
const OWN = { thinkingLevel: "ai.reasoning", maxTokens: "ai.maxTokens" } as const satisfies {
  readonly [name: string]: SettingName;
};
export type OwnSetting = keyof typeof OWN;
export type OwnSettings = { readonly [K in OwnSetting]: string | null };

type Config = Pick<KernelStore, "config">;

const prefixOf = (pid: string) => `processes/${pid}/`;

export async function ownSettings({ config }: Config, pid: string): Promise<OwnSettings> {
  const rows = new Map((await config.under(prefixOf(pid))).map(({ key, value }) => [key, value]));
  const own = (name: OwnSetting) => rows.get(prefixOf(pid) + name) ?? null;
  return { thinkingLevel: own("thinkingLevel"), maxTokens: own("maxTokens") };
}

export async function keepOwn(
  { config }: Config,
  pid: string,
  { name, value }: { readonly name: OwnSetting; readonly value: string | null },
  by: { readonly uid: number; readonly now: number },
): Promise<void> {
  await config.change([{ key: prefixOf(pid) + name, value }], by);
}

export async function forgetOwn(
  { config }: Config,
  pid: string,
  by: { readonly uid: number; readonly now: number },
): Promise<void> {
  const rows = await config.under(prefixOf(pid));
  if (rows.length > 0)
    await config.change(
      rows.map(({ key }) => ({ key, value: null })),
      by,
    );
}

export async function withOwn(kernel: Config, pid: string, offer: Offer | undefined): Promise<Offer | undefined> {
  const own = Object.entries(await ownSettings(kernel, pid)).flatMap(([name, value]) =>
    value === null ? [] : [[OWN[name as OwnSetting], value] as const],
  );
  if (own.length === 0) return offer;
  return { env: offer?.env ?? {}, flags: { ...Object.fromEntries(own), ...offer?.flags } };
}

export function thinking(offer: Offer | undefined, level: string): Offer {
  return { env: offer?.env ?? {}, flags: { ...offer?.flags, [OWN.thinkingLevel]: level } };
}

export function limitsOf(name: OwnSetting): { readonly min: number; readonly max: number } {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = SETTINGS[OWN[name]] as { min?: number; max?: number };
  return { min, max };
}
