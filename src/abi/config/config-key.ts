// The spellings of a setting's key, and its files below /sys. Dotted camelCase is canonical (`ai.maxTokens`); with slashes, in snake_case, below `config/…`,
// `users/{uid}/…` or `/sys/…` it is the same key. Stored it is `config/ai/max_tokens` for the whole home and
// `users/1000/ai/max_tokens` for one account. Pure.

import { SETTING_NAMES, SETTINGS, type SettingName } from "./config.ts";

/** Whose layer: the whole home's, or an account's. */
export type Holder = "system" | number;

export interface KeyWritten {
  readonly name: SettingName;
  /** The account that `users/{uid}/…` names; null where the spelling names none. */
  readonly uid: number | null;
}

const PREFIX = /^\/?(?:sys\/)?(?:config\/|users\/([0-9]{1,10})\/(?:config\/)?)/;

/** Where settings are files: the whole home's, or those of the account whose number stands in it. */
const FILES = /^\/sys\/(?:config|users\/([0-9]{1,10})\/config)\/([^/]+)$/;

/** The setting that an absolute path without links is the file of, or null. */
export function keyFiled(path: string): KeyWritten | null {
  const [, uid, key = ""] = FILES.exec(path) ?? [];
  const name = canonicalForm(key);
  return Object.hasOwn(SETTINGS, name)
    ? { name: name as SettingName, uid: uid === undefined ? null : Number(uid) }
    : null;
}

/** The setting somebody wrote, or null when there is none of that name. */
export function keyWritten(text: string): KeyWritten | null {
  const prefix = PREFIX.exec(text);
  const name = canonicalForm(text);
  if (!Object.hasOwn(SETTINGS, name)) return null;
  return { name: name as SettingName, uid: prefix?.[1] === undefined ? null : Number(prefix[1]) };
}

/** The same text as a canonical key would be written, whether there is such a key or not. */
export function canonicalForm(text: string): string {
  return text
    .replace(PREFIX, "")
    .split(/[./]/)
    .map((segment) => segment.replace(/_+([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()))
    .join(".");
}

export function storedPrefix(holder: Holder): string {
  return holder === "system" ? "config/" : `users/${holder}/`;
}

export function storedKey(name: SettingName, holder: Holder): string {
  return storedPrefix(holder) + storedPath(name);
}

/** The setting that is stored under such a key, or null when there is none any more. Settings are looked at several times in a turn. */
export function settingStored(key: string, holder: Holder): SettingName | null {
  names ??= new Map(SETTING_NAMES.map((name) => [storedPath(name), name]));
  return names.get(key.slice(storedPrefix(holder).length)) ?? null;
}

let names: ReadonlyMap<string, SettingName> | null = null;

function storedPath(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(".", "/");
}
