// The spellings of a setting's key, and its files below /sys. Dotted camelCase is canonical (`ai.maxTokens`). With slashes, in snake_case, below `config/…`,
// `users/{uid}/…` or `/sys/…` it is the same key. Stored it is `config/ai/max_tokens` for the whole home and
// `users/1000/ai/max_tokens` for one account. Pure.

import { SETTING_NAMES, SETTINGS, type SettingName } from "./config.ts";

/** The layer of the home or of an account. */
export type Holder = "system" | number;

export interface KeyWritten {
  readonly name: SettingName;
  /** The account in `users/{uid}/…`; null if there is none. */
  readonly uid: number | null;
}

const PREFIX = /^\/?(?:sys\/)?(?:config\/|users\/([0-9]{1,10})\/(?:config\/)?)/;

/** Directories of settings files: of the home, or of one account. */
const FILES = /^\/sys\/(?:config|users\/([0-9]{1,10})\/config)\/([^/]+)$/;

/** The setting at an absolute path without links, or null. */
export function keyFiled(path: string): KeyWritten | null {
  const [, uid, key = ""] = FILES.exec(path) ?? [];
  const name = canonicalForm(key);
  return Object.hasOwn(SETTINGS, name)
    ? { name: name as SettingName, uid: uid === undefined ? null : Number(uid) }
    : null;
}

/** The setting for a key in any spelling, or null. */
export function keyWritten(text: string): KeyWritten | null {
  const prefix = PREFIX.exec(text);
  const name = canonicalForm(text);
  if (!Object.hasOwn(SETTINGS, name)) return null;
  return { name: name as SettingName, uid: prefix?.[1] === undefined ? null : Number(prefix[1]) };
}

/** The canonical spelling. The key need not exist. */
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

/** The setting for a stored key; null if it no longer exists. Called several times in a turn. */
export function settingStored(key: string, holder: Holder): SettingName | null {
  names ??= new Map(SETTING_NAMES.map((name) => [storedPath(name), name]));
  return names.get(key.slice(storedPrefix(holder).length)) ?? null;
}

let names: ReadonlyMap<string, SettingName> | null = null;

function storedPath(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(".", "/");
}
