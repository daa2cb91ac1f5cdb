// Finds the session that a key names, and the conversation that a sender's messages belong to. A session that the caller may not see does not
// exist for the caller.

import { SysError } from "../abi/errno.ts";
import { type Caller, isRoot } from "../abi/identity.ts";
import { isUuid } from "../abi/ids.ts";
import { type DmScope, MAIN_AGENT } from "../abi/process/session.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import type { SessionRow } from "../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { SessionAbout, SessionAddress, SessionParty } from "../syscalls/session/session-service.ts";
import {
  canonicalKey,
  DEFAULT_ACCOUNT,
  identityLinksOf,
  isNamesake,
  keyFor,
  keyText,
  type OwnNames,
  type Party,
  type SessionKey,
  senderIn,
} from "./keys.ts";

export type AddressPorts = Pick<KernelStore, "sessions" | "config" | "accounts">;

/** Throws EINVAL if it is not a session key. */
export async function keyOf(kernel: AddressPorts, caller: Caller, written: string): Promise<SessionKey> {
  return canonicalKey(written, await namesOf(kernel, caller));
}

/** Throws ENOENT if the caller has no such session. */
export async function sessionNamed(kernel: AddressPorts, caller: Caller, written: string): Promise<SessionRow> {
  const found = await findSession(kernel, caller, written);
  if (found !== null) return found;
  throw new SysError("ENOENT", `no such session: ${written.slice(0, 200).toWellFormed()}`, [
    "to list yours: gsv session list; to start one: gsv chat --session KEY",
  ]);
}

async function findSession(kernel: AddressPorts, caller: Caller, written: string): Promise<SessionRow | null> {
  if (!isUuid(written))
    return await kernel.sessions.byKey(caller.ownerUid, (await conversationAt(kernel, caller, written)).key);
  const id = (await kernel.sessions.generation(written))?.sessionId ?? written;
  const session = await kernel.sessions.get(id);
  return session !== null && (session.ownerUid === caller.ownerUid || isRoot(caller)) ? session : null;
}

async function conversationWith(kernel: AddressPorts, caller: Caller, party: Party): Promise<SessionKey> {
  const setting = await ownSettings(kernel, caller);
  const links = identityLinksOf(JSON.parse(setting("session.identityLinks").text));
  const set = setting("session.dmScope").text as DmScope;
  const names = await namesOf(kernel, caller);
  // A stranger with the owner's name must not get into the owner's conversation.
  const scope = set === "per-peer" && isNamesake(party, links, names) ? "per-channel-peer" : set;
  return canonicalKey(keyText(keyFor(party, scope, links)), names);
}

function ownSettings({ config }: AddressPorts, { ownerUid: uid }: Caller) {
  return settingsFor(config, { uid, client: undefined });
}

async function hasScope(kernel: AddressPorts, caller: Caller): Promise<boolean> {
  return (await ownSettings(kernel, caller))("session.dmScope").layer !== "default";
}

/**
 * The conversation of a written key, for every call that takes one. A key of another channel names a sender, and session.dmScope decides the sender's
 * conversation. By default, a written key is the session of that name.
 */
export async function conversationAt(
  kernel: AddressPorts,
  caller: Caller,
  written: string,
): Promise<{ readonly key: string; readonly sender?: string }> {
  const named = await keyOf(kernel, caller, written);
  const sender = (await hasScope(kernel, caller)) ? senderIn(named) : null;
  const key = keyText(sender === null ? named : await conversationWith(kernel, caller, sender));
  return key === keyText(named) ? { key } : { key, sender: keyText(named) };
}

/** The key of the conversation for a new session that has an id and a sender; null if the session has its own conversation. */
export async function conversationFor(
  kernel: AddressPorts,
  caller: Caller,
  id: string,
  { source: channel = "cli", sender: peerId = "", agent: agentId = MAIN_AGENT }: SessionAbout,
): Promise<string | null> {
  if (channel === "cli" || peerId === "" || !(await hasScope(kernel, caller))) return null;
  if ((await kernel.sessions.get(id)) !== null || (await kernel.sessions.generation(id)) !== null) return null;
  return keyText(await conversationWith(kernel, caller, { agentId, channel, accountId: DEFAULT_ACCOUNT, peerId }));
}

/** The conversation with a sender, by session.dmScope and session.identityLinks of the owner. */
export async function addressFor(kernel: AddressPorts, caller: Caller, party: SessionParty): Promise<SessionAddress> {
  const { agent: agentId = MAIN_AGENT, channel, account: accountId, peer: peerId } = party;
  const found = await conversationWith(kernel, caller, { agentId, channel, accountId, peerId });
  await checkAgent(kernel, caller, found);
  const key = keyText(found);
  return { key, pid: (await kernel.sessions.byKey(caller.ownerUid, key))?.pid ?? null };
}

/** Throws ENOENT unless the agent of a key exists by exactly this name and is the caller's. */
export async function checkAgent({ accounts }: AddressPorts, caller: Caller, { agentId }: SessionKey): Promise<void> {
  if (agentId === MAIN_AGENT) return;
  const agent = await accounts.byName(agentId);
  if (agent !== null && (isRoot(caller) || (await accounts.mayActAs(caller.ownerUid, agent.uid)))) return;
  throw new SysError("ENOENT", `no such agent: ${agentId}`, [
    "to list yours: gsv agent list; to create one: gsv agent create NAME",
  ]);
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

/** Keys name the personal agent `main`. */
export function archivePath({ agentId }: Pick<SessionRow, "agentId">, key: string): string {
  return `/${agentId === MAIN_AGENT ? key.replace(/^agents\/[^/]+\//, `agents/${MAIN_AGENT}/`) : key}`;
}

export function nameOf({ key, id }: Pick<SessionRow, "key" | "id">): string {
  return key ?? id;
}
