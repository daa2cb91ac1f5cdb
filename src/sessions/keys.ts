// Session keys: `agent:{agent}:{channel}:{account}:dm:{peer}`, and how much of it there is by session.dmScope. Whatever a person or a channel
// writes comes out in one form, so that one conversation has one address. Pure.

import { SysError } from "../abi/errno.ts";
import { type DmScope, MAIN_AGENT, MAIN_SESSION_KEY } from "../abi/process/session.ts";

export interface SessionKey {
  readonly agentId: string;
  readonly channel: string;
  /** Null where accounts of the channel share a conversation. */
  readonly accountId: string | null;
  readonly peerId: string;
}

/** Who says something, and where. */
export interface Party extends Omit<SessionKey, "accountId"> {
  readonly accountId: string;
}

/** One person's names in several channels, under the name they are to have. */
export type IdentityLinks = { readonly [person: string]: readonly string[] };

/** What an account's own session is called besides its usual name. */
export interface OwnNames {
  readonly mainKey: string;
  /** What is meant where nothing is written. */
  readonly defaultKey: string;
  readonly username: string;
  /** The personal agent, which is what `main` means. */
  readonly agentName: string | null;
}

const CLI = "cli";
const OWN_ACCOUNTS: readonly (string | null)[] = [null, "default"];
const TOKEN_CHARS_MAX = 64;

export function keyText({ agentId, channel, accountId, peerId }: SessionKey): string {
  const account = accountId === null ? "" : `${accountId}:`;
  return `agent:${agentId}:${channel}:${account}dm:${peerId}`;
}

/** As it is stored, whoever wrote it. Throws EINVAL for what is no address. */
export function canonicalKey(written: string, names: OwnNames): SessionKey {
  const text = written.trim() || names.defaultKey.trim();
  const key = text === "" || text === "main" || text === names.mainKey ? MAIN : partsOf(text);
  if (key === null) {
    throw new SysError("EINVAL", `not a session key: ${text.slice(0, 80).toWellFormed()}`, [
      `${MAIN_SESSION_KEY} is your own; others are agent:AGENT:CHANNEL:dm:PEER or agent:AGENT:CHANNEL:ACCOUNT:dm:PEER`,
    ]);
  }
  const named = { ...key, agentId: key.agentId === names.agentName ? MAIN_AGENT : key.agentId };
  return isOwn(named, names) ? MAIN : named;
}

const MAIN: SessionKey = { agentId: MAIN_AGENT, channel: CLI, accountId: null, peerId: "main" };

/** The address of a conversation with somebody. */
export function keyFor(party: Party, scope: DmScope, links: IdentityLinks): SessionKey {
  const agentId = agentToken(party.agentId);
  const channel = token(party.channel);
  const peerId = personOf(party, links);
  switch (scope) {
    case "main":
      return { ...MAIN, agentId };
    case "per-peer":
      return { agentId, channel: CLI, accountId: null, peerId };
    case "per-channel-peer":
      return { agentId, channel, accountId: null, peerId };
    case "per-account-channel-peer":
      return { agentId, channel, accountId: token(party.accountId), peerId };
  }
}

/** A person who is linked has one name in every channel: linked as `channel:peer`, or as `peer` in whatever channel. */
function personOf({ channel, peerId }: Party, links: IdentityLinks): string {
  const peer = peerId.trim().toLowerCase();
  const names = [`${channel.trim().toLowerCase()}:${peer}`, peer];
  const [person] = Object.entries(links).find(([, linked]) => linked.some((each) => names.includes(fold(each)))) ?? [];
  return token(person ?? peer);
}

/** What the setting holds, as far as it says something. */
export function identityLinksOf(value: unknown): IdentityLinks {
  if (typeof value !== "object" || value === null) return {};
  const links = Object.entries(value).map(([person, names]) => {
    const listed: readonly unknown[] = Array.isArray(names) ? names : [names];
    return [person, listed.filter((name) => typeof name === "string")] as const;
  });
  return Object.fromEntries(links);
}

/** What a key says; null where it is none. */
export function partsOf(text: string): SessionKey | null {
  const [agent, id = "", ...rest] = text.split(":");
  if (agent?.toLowerCase() !== "agent" || id.trim() === "" || rest.some((part) => part.trim() === "")) return null;
  const agentId = agentToken(id);
  if (rest.length === 1 && rest[0] === "main") return { ...MAIN, agentId };
  const [channel = "", ...more] = rest;
  const [dm, peer = ""] = more.slice(-2);
  if (dm !== "dm" || more.length > 3) return null;
  const account = more.length === 3 ? token(more[0] ?? "") : null;
  return { agentId, channel: token(channel), accountId: account, peerId: token(peer) };
}

/** On the command line a person talks to their own, under whichever of their names. */
function isOwn({ agentId, channel, accountId, peerId }: SessionKey, { mainKey, username }: OwnNames): boolean {
  const isHere = agentId === MAIN_AGENT && channel === CLI && OWN_ACCOUNTS.includes(accountId);
  return isHere && ["main", token(mainKey), token(username)].includes(peerId);
}

function agentToken(text: string): string {
  const cleaned = fold(text)
    .replace(/[^a-z0-9_-]/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, TOKEN_CHARS_MAX);
  return cleaned === "" ? MAIN_AGENT : cleaned;
}

function token(text: string): string {
  const cleaned = fold(text).replace(/[^a-z0-9.+@_-]/g, "_");
  return cleaned.slice(0, TOKEN_CHARS_MAX) || "_";
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}
