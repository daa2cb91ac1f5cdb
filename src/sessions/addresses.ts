// From what a person writes to the session that is meant, and where somebody's messages go. Whoever may not see a session finds none.

import { SysError } from "../abi/errno.ts";
import { type Caller, isRoot } from "../abi/identity.ts";
import { isUuid } from "../abi/ids.ts";
import { type DmScope, MAIN_AGENT } from "../abi/process/session.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import type { SessionRow } from "../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { SessionAddress, SessionParty } from "../syscalls/session/session-service.ts";
import { canonicalKey, identityLinksOf, keyFor, keyText, type OwnNames, type SessionKey } from "./keys.ts";

export type AddressPorts = Pick<KernelStore, "sessions" | "config" | "accounts">;

/** Throws EINVAL for what is no key. */
export async function keyOf(kernel: AddressPorts, caller: Caller, written: string): Promise<SessionKey> {
  return canonicalKey(written, await namesOf(kernel, caller));
}

/** Throws ENOENT where there is none that the caller may see. */
export async function sessionNamed(kernel: AddressPorts, caller: Caller, written: string): Promise<SessionRow> {
  const found = await findSession(kernel, caller, written);
  if (found !== null) return found;
  throw new SysError("ENOENT", `no session ${written.slice(0, 200).toWellFormed()}`, [
    "gsv session list shows yours; gsv chat --session KEY begins one",
  ]);
}

async function findSession(kernel: AddressPorts, caller: Caller, written: string): Promise<SessionRow | null> {
  if (!isUuid(written))
    return await kernel.sessions.byKey(caller.ownerUid, keyText(await keyOf(kernel, caller, written)));
  const id = (await kernel.sessions.generation(written))?.sessionId ?? written;
  const session = await kernel.sessions.get(id);
  return session !== null && (session.ownerUid === caller.ownerUid || isRoot(caller)) ? session : null;
}

/** By the scope and the links of the account. */
export async function addressFor(kernel: AddressPorts, caller: Caller, party: SessionParty): Promise<SessionAddress> {
  const setting = await settingsFor(kernel.config, { uid: caller.ownerUid, client: undefined });
  const links = identityLinksOf(JSON.parse(setting("session.identityLinks").text));
  const scope = setting("session.dmScope").text as DmScope;
  const { agent: agentId = MAIN_AGENT, channel, account: accountId, peer: peerId } = party;
  const key = keyText(keyFor({ agentId, channel, accountId, peerId }, scope, links));
  const canonical = keyText(await keyOf(kernel, caller, key));
  return { key: canonical, pid: (await kernel.sessions.byKey(caller.ownerUid, canonical))?.pid ?? null };
}

async function namesOf({ config, accounts }: AddressPorts, { ownerUid }: Caller): Promise<OwnNames> {
  const setting = await settingsFor(config, { uid: ownerUid, client: undefined });
  return {
    mainKey: setting("session.mainKey").text.trim() || "main",
    defaultKey: setting("session.defaultKey").text,
    username: (await accounts.byUid(ownerUid))?.username ?? "main",
    agentName: (await accounts.personalAgent(ownerUid))?.username ?? null,
  };
}

/** What people and other calls name a session by. */
export function nameOf({ key, id }: Pick<SessionRow, "key" | "id">): string {
  return key ?? id;
}
