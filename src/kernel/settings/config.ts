// Settings as callers see and change them: default, the whole home's, the account's, the environment and the flags of this connection. A
// process sees its owner's. Values of secrets go in and never come out: what is shown is that they are set.

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
import { type Gone, infoOf } from "./shown-setting.ts";

type Texts = { readonly [name: string]: string | undefined };

export interface SettingsOptions {
  readonly rows: ConfigRows;
  readonly accounts: Pick<AccountRows, "byUid" | "mayActAs">;
  readonly secrets: Secrets;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** What the environment of the kernel says, by key: for settings that are the kernel's own. */
  readonly ofKernel: Texts;
  /** Told what is stored for the whole home, each time after it changed. */
  readonly systemChanged?: (stored: { readonly [name: string]: string }) => void;
  /** Where a value can be wrong in a way the schema cannot say. Throws. */
  readonly check: (name: SettingName, value: string) => Promise<void>;
  /** What is a fact rather than a wish, and the command that changes it. */
  readonly facts?: { readonly [key: string]: string };
}

export interface SettingsOfKernel extends Settings {
  /** What an agent's change of its owner's setting would do, in words for the person who decides; null: it is not known to what.
   * Refuses what no agent may change, and a wrong value. */
  proposal(caller: Caller, key: KeyWritten, value: string | null): Promise<string>;
}

export function settingsService(options: SettingsOptions): SettingsOfKernel {
  const { rows, secrets, redactor } = options;

  async function sources({ caller, client }: CallContext, uid: number) {
    const system = await textsOf(rows, "system");
    const user = await textsOf(rows, uid);
    // Somebody else's layer is shown as it lies; one's own connection says nothing about it.
    const own = uid === homeUid(caller);
    return async (name: SettingName): Promise<SettingInfo> => {
      const said = {
        system: system[name],
        user: user[name],
        environment: own ? environmentOf(options.ofKernel, client, name) : undefined,
        flag: own ? flagOf(client, name) : undefined,
      };
      return infoOf(name, said, await goneOf(secrets, name, { system: system[name], user: user[name], uid }));
    };
  }

  async function change(holder: Holder, name: SettingName, written: string | null): Promise<Planned> {
    const setting: Setting = SETTINGS[name];
    const by = options.facts?.[name];
    if (by !== undefined) throw new SysError("EINVAL", `${name} says how things are and is not set by hand`, [by]);
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
  /** Where the secret before it lies. */
  readonly mark: SecretMark | null;
}

// A secret lies ready before the row names it, and goes after the row has gone: a row never names what is not there.
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

/** Rows of one layer by the keys of their settings; what is no setting any more is passed over. */
async function textsOf(rows: ConfigRows, holder: Holder): Promise<{ [name: string]: string }> {
  const texts: { [name: string]: string } = {};
  for (const { key, value } of await rows.under(storedPrefix(holder))) {
    const name = settingStored(key, holder);
    if (name !== null) texts[name] = value;
  }
  return texts;
}

/** What an account had set goes with it, and its secrets with that. */
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

/** What is stored for the whole home, by key. */
export function systemSettings(rows: ConfigRows): Promise<{ readonly [name: string]: string }> {
  return textsOf(rows, "system");
}

/** Settings as they are for an account at a client, read once. Of a secret only where it lies is in there. */
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

/** Every stored secret becomes known, so that it is redacted wherever it turns up. Returns what could not be read, one line each. */
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

/** A client may say anything: what is secret or root's is no flag's business. */
function flagOf(client: Pick<ClientInfo, "flags"> | undefined, name: SettingName): string | undefined {
  const { type, writes }: Setting = SETTINGS[name];
  return writes === "root" || type === "secret" ? undefined : client?.flags?.[name];
}

/** Whose settings a caller has: a process has its owner's. */
function homeUid({ kind, uid, ownerUid }: Caller): number {
  return kind === "process" ? ownerUid : uid;
}

/** The account whose layer is read: the caller's, or one it may look at. */
async function layerOf({ accounts }: SettingsOptions, caller: Caller, uid: number | null): Promise<number> {
  const own = homeUid(caller);
  if (uid === null || uid === own || (await accounts.mayActAs(own, uid))) return uid ?? own;
  if (isRoot(caller)) {
    if ((await accounts.byUid(uid)) !== null) return uid;
    throw new SysError("ENOENT", `no account has uid ${uid}`);
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
  throw new SysError("EPERM", "--system changes the whole home's settings and needs root", [
    "without --system it is your own setting that changes",
  ]);
}

// What tells an agent what it may do, how much, as whom and through whom is no agent's to change, and neither is what lies beside its owner.
function refuseAgent(caller: Caller, { name, uid }: KeyWritten, system: boolean): void {
  const { agents }: Setting = SETTINGS[name];
  const own = homeUid(caller);
  if (agents !== "ask") {
    throw new SysError("EPERM", `${name} is not an agent's to change`, [`a person does: gsv config set ${name}`]);
  }
  if (!system && (uid === null || uid === own)) return;
  throw new SysError("EPERM", "an agent changes only what is its owner's own, once its owner has approved it", [
    `write /sys/users/${own}/config/${name}`,
  ]);
}

function quotedValue(text: string): string {
  return text === "" ? "nothing" : reveal(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

function refuseForeignKey(name: SettingName, system: boolean): void {
  if (system || SETTINGS[name].writes === "user") return;
  throw new SysError("EPERM", `${name} is a setting of the whole home: only root changes it, with --system`, [
    ...(SETTINGS[name].env === undefined
      ? []
      : [`for one start of a kernel: ${SETTINGS[name].env}=… in its environment`]),
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
