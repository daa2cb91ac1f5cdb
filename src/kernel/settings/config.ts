// Reads and changes settings in layers: default, home, account, environment and flags of the connection. A process sees the settings of its owner.
// Secret values are never returned, only whether they are set.

import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from "../../abi/config/config.ts";
import {
  canonicalForm,
  type Holder,
  type KeyWritten,
  keyWritten,
  settingStored,
  storedKey,
  storedPrefix,
} from "../../abi/config/config-key.ts";
import { canonicalValue, type Resolved, resolveSetting } from "../../abi/config/config-value.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { ClientInfo } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Redactor } from "../../lib/text/redact.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import type { ConfigChange, ConfigRows } from "../../store/kernel/config.ts";
import type { AccountRows } from "../../store/kernel/people/accounts.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ChangedSetting, SettingInfo, Settings } from "../../syscalls/services.ts";
import { settingNamed } from "../../syscalls/system/config.ts";
import { fingerprint, markFrom, type SecretMark, type Secrets, shownSecret } from "./secrets.ts";
import { type Gone, settingInfo } from "./shown-setting.ts";

type Texts = { readonly [name: string]: string | undefined };

export interface SettingsOptions {
  readonly rows: ConfigRows;
  readonly accounts: Pick<AccountRows, "byUid" | "mayActAs">;
  readonly secrets: Secrets;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** The kernel's environment, for the settings of the kernel. */
  readonly ofKernel: Texts;
  /** Called after every change to the home's settings. */
  readonly systemChanged?: (stored: { readonly [name: string]: string }) => void;
  /** Checks beyond the schema. Throws. */
  readonly check: (name: SettingName, value: string) => Promise<void>;
  /** Read-only settings, with the command that changes each. */
  readonly facts?: { readonly [key: string]: string };
}

export interface SettingsOfKernel extends Settings {
  /** Describes an agent's change of a setting, for the approval card. `written` is null if the new value is unknown. Throws for invalid values
   * and for settings that agents may not change. */
  proposal(caller: Caller, key: KeyWritten, value: string | null): Promise<string>;
}

export function settingsService(options: SettingsOptions): SettingsOfKernel {
  const { rows, secrets, redactor } = options;

  async function sources({ caller, client }: CallContext, uid: number) {
    const system = await textsOf(rows, "system");
    const user = await textsOf(rows, uid);
    // Environment and flags of this connection do not apply to another account.
    const own = uid === homeUid(caller);
    return async (name: SettingName): Promise<SettingInfo> => {
      const said = {
        system: system[name],
        user: user[name],
        environment: own ? environmentOf(options.ofKernel, client, name) : undefined,
        flag: own ? flagOf(client, name) : undefined,
      };
      return settingInfo(name, said, await goneOf(secrets, name, { system: system[name], user: user[name], uid }));
    };
  }

  async function change(holder: Holder, name: SettingName, written: string | null): Promise<Planned> {
    const setting: Setting = SETTINGS[name];
    const by = options.facts?.[name];
    if (by !== undefined) throw new SysError("EINVAL", `cannot set ${name}: gsv sets it itself`, [by]);
    const key = storedKey(name, holder);
    const before = (await rows.under(key)).find((row) => row.key === key)?.value;
    const mark = before === undefined || setting.type !== "secret" ? null : markFrom(before);
    if (written === null) return { name, key, value: null, shown: null, mark };
    const value = canonicalValue(name, setting, written);
    await options.check(name, value);
    return { name, key, value, shown: setting.type === "secret" ? shownSecret(fingerprint(value)) : value, mark };
  }

  return {
    async get(context, key) {
      const { name, uid } = settingNamed(key);
      const whose = await layerOf(options, context.caller, uid);
      return (await sources(context, whose))(name);
    },

    async list(context, under) {
      const info = await sources(context, homeUid(context.caller));
      const prefix = canonicalForm(under);
      const names = SETTING_NAMES.filter((name) => name.startsWith(prefix));
      return { settings: await Promise.all(names.map(info)) };
    },

    async proposal(caller, { name, uid }, written) {
      refuseAgent(caller, { name, uid }, uid === null);
      const holder = await layerOf(options, caller, uid);
      const stored = (await textsOf(rows, holder))[name];
      const setting: Setting = SETTINGS[name];
      const below = (await textsOf(rows, "system"))[name] ?? setting.unset ?? setting.fallback;
      const before = stored ?? below;
      if (written === null) return `change ${name}, which is ${quotedValue(before)}`;
      const { value } = await change(holder, name, blankIsNull(written));
      return `set ${name}: ${quotedValue(before)} → ${quotedValue(value ?? below)}`;
    },

    async change({ caller }, request) {
      const wanted = Object.entries(request.changes).map(([text, value]) => ({ ...settingNamed(text), value }));
      if (caller.kind !== "person") for (const each of wanted) refuseAgent(caller, each, request.system);
      const holders = new Map<number | null, Holder>();
      for (const { name, uid } of wanted) {
        if (!holders.has(uid)) holders.set(uid, await holderOf(options, caller, request.system, uid));
        refuseForeignKey(name, request.system);
      }
      const planned: (Planned & { readonly holder: Holder })[] = [];
      for (const { name, uid, value } of wanted) {
        const holder = holders.get(uid) ?? homeUid(caller);
        planned.push({ holder, ...(await change(holder, name, blankIsNull(value))) });
      }
      for (const { name, value } of planned) if (isSecret(name) && value !== null) redactor.add(value);
      await carryOut({ rows, secrets }, planned, { uid: caller.uid, now: options.clock.now() });
      if (request.system) options.systemChanged?.(await systemSettings(rows));
      return { changed: await Promise.all(planned.map((each) => changedOf(options, caller, each))) };
    },
  };
}

interface Planned {
  readonly name: SettingName;
  readonly key: string;
  /** In canonical form; null unsets. */
  readonly value: string | null;
  readonly shown: string | null;
  /** Location of the previous secret. */
  readonly mark: SecretMark | null;
}

// Write a secret before its row, delete it after its row: a row never names a missing secret.
async function carryOut(
  { rows, secrets }: Pick<SettingsOptions, "rows" | "secrets">,
  planned: readonly Planned[],
  by: { readonly uid: number; readonly now: number },
): Promise<void> {
  const changes: ConfigChange[] = [];
  const left: { readonly key: string; readonly mark: SecretMark }[] = [];
  for (const { name, key, value, mark } of planned) {
    const put = isSecret(name) && value !== null ? await secrets.put(key, value) : null;
    changes.push({ key, value: put === null ? value : `${put.at}:${put.sha256}` });
    if (mark !== null && mark.at !== put?.at) left.push({ key, mark });
  }
  await rows.change(changes, by);
  for (const { key, mark } of left) await secrets.remove(key, mark);
}

/** Rows of one layer by setting; skips unknown settings. */
async function textsOf(rows: ConfigRows, holder: Holder): Promise<{ [name: string]: string }> {
  const texts: { [name: string]: string } = {};
  for (const { key, value } of await rows.under(storedPrefix(holder))) {
    const name = settingStored(key, holder);
    if (name !== null) texts[name] = value;
  }
  return texts;
}

/** Deletes the settings and secrets of an account. */
export async function forgetSettings(
  { rows, secrets }: Pick<SettingsOptions, "rows" | "secrets">,
  uid: number,
  by: { readonly uid: number; readonly now: number },
): Promise<void> {
  const had = await rows.under(storedPrefix(uid));
  const changes = had.map(({ key }) => ({ key, value: null }));
  await rows.change(changes, by);
  for (const { key, value } of had) {
    const mark = markFrom(value);
    if (mark !== null) await secrets.remove(key, mark);
  }
}

/** The home's stored settings, by key. */
export function systemSettings(rows: ConfigRows): Promise<{ readonly [name: string]: string }> {
  return textsOf(rows, "system");
}

/** A snapshot of the settings of an account and its client. Holds only the location of secrets. */
export async function settingsFor(
  rows: ConfigRows,
  { uid, client }: { readonly uid: number; readonly client: Pick<ClientInfo, "env" | "flags"> | undefined },
): Promise<(name: SettingName) => Resolved> {
  const [system, user] = [await textsOf(rows, "system"), await textsOf(rows, uid)];
  return (name) => {
    const [environment, flag] = [environmentOf({}, client, name), flagOf(client, name)];
    return resolveSetting(name, SETTINGS[name], { system: system[name], user: user[name], environment, flag });
  };
}

/** Loads all secrets for redaction. Returns one line for each unreadable secret. */
export async function knowSecrets(rows: ConfigRows, secrets: Secrets, redactor: Redactor): Promise<string[]> {
  const faults: string[] = [];
  for (const { key, value } of await rows.under("")) {
    const mark = markFrom(value);
    const name = keyWritten(key)?.name;
    if (mark === null || name === undefined || !isSecret(name)) continue;
    try {
      redactor.add((await secrets.read(key, mark)) ?? "");
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  return faults;
}

function isSecret(name: SettingName): boolean {
  return SETTINGS[name].type === "secret";
}

async function goneOf(
  secrets: Secrets,
  name: SettingName,
  { uid, ...stored }: { readonly uid: number; readonly system: string | undefined; readonly user: string | undefined },
): Promise<Gone> {
  if (!isSecret(name)) return [];
  const gone: ("system" | "user")[] = [];
  for (const layer of ["system", "user"] as const) {
    const mark = markFrom(stored[layer] ?? "");
    const key = storedKey(name, layer === "system" ? "system" : uid);
    if (mark !== null && !(await secrets.has(key, mark))) gone.push(layer);
  }
  return gone;
}

function environmentOf(
  ofKernel: Texts,
  client: Pick<ClientInfo, "env"> | undefined,
  name: SettingName,
): string | undefined {
  const { env, writes }: Setting = SETTINGS[name];
  return writes === "root" ? ofKernel[name] : env === undefined ? undefined : client?.env[env];
}

/** Client flags must not set secrets or system settings. */
function flagOf(client: Pick<ClientInfo, "flags"> | undefined, name: SettingName): string | undefined {
  const { type, writes }: Setting = SETTINGS[name];
  return writes === "root" || type === "secret" ? undefined : client?.flags?.[name];
}

/** A process uses the settings of its owner. */
function homeUid({ kind, uid, ownerUid }: Caller): number {
  return kind === "process" ? ownerUid : uid;
}

/** The account whose settings are read: the caller's own, or one that it may read. */
async function layerOf({ accounts }: SettingsOptions, caller: Caller, uid: number | null): Promise<number> {
  const own = homeUid(caller);
  if (uid === null || uid === own || (await accounts.mayActAs(own, uid))) return uid ?? own;
  if (isRoot(caller)) {
    if ((await accounts.byUid(uid)) !== null) return uid;
    throw new SysError("ENOENT", `no such account: uid ${uid}`);
  }
  throw new SysError("EPERM", `only root and uid ${uid} see the settings of uid ${uid}`);
}

async function holderOf(
  options: SettingsOptions,
  caller: Caller,
  system: boolean,
  uid: number | null,
): Promise<Holder> {
  if (!system) return await layerOf(options, caller, uid);
  if (isRoot(caller)) return "system";
  throw new SysError("EPERM", "only root can use --system", ["for your own setting, leave out --system"]);
}

// Agents must not change settings of rights, limits, accounts and providers, nor settings of accounts other than their owner's.
function refuseAgent(caller: Caller, { name, uid }: KeyWritten, system: boolean): void {
  const { agents }: Setting = SETTINGS[name];
  const own = homeUid(caller);
  if (agents !== "ask") {
    throw new SysError("EPERM", `agents cannot change ${name}`, [`the user can: gsv config set ${name}`]);
  }
  if (!system && (uid === null || uid === own)) return;
  throw new SysError("EPERM", "agents can only change settings of their owner, with approval", [
    `write /sys/users/${own}/config/${name}`,
  ]);
}

function quotedValue(text: string): string {
  return text === "" ? "nothing" : reveal(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

function refuseForeignKey(name: SettingName, system: boolean): void {
  if (system || SETTINGS[name].writes === "user") return;
  throw new SysError("EPERM", `${name} is a system setting: only root can change it, with --system`, [
    ...(SETTINGS[name].env === undefined
      ? []
      : [`for one kernel start: ${SETTINGS[name].env}=VALUE in its environment`]),
  ]);
}

function blankIsNull(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}

async function changedOf(
  { accounts }: SettingsOptions,
  caller: Caller,
  { name, shown, holder }: Planned & { readonly holder: Holder },
): Promise<ChangedSetting> {
  const layer = holder === "system" ? "system" : "user";
  const account = typeof holder === "number" && holder !== caller.uid ? await accounts.byUid(holder) : null;
  return { key: name, value: shown, layer, whose: account?.username ?? null };
}
