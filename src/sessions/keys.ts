// Session keys: `agent:{agent}:{channel}:{account}:dm:{peer}`. session.dmScope decides how many parts a key has. Each conversation has one key
// and each key one conversation: characters that a key cannot hold are percent-encoded, never replaced, and case counts. Pure.

import { SysError } from "../abi/errno.ts";
import { DEFAULT_SESSION, type DmScope, MAIN_AGENT, MAIN_SESSION_KEY } from "../abi/process/session.ts";

export interface SessionKey {
  readonly agentId: string;
  readonly channel: string;
  /** null if all accounts of the channel share a conversation. */
  readonly accountId: string | null;
  readonly peerId: string;
}

export interface Party extends Omit<SessionKey, "accountId"> {
  readonly accountId: string;
}

/** Names of a person in several channels, by the name that keys use. */
export type IdentityLinks = { readonly [person: string]: readonly string[] };

/** Other names of an account's own session. */
export interface OwnNames {
  readonly mainKey: string;
  readonly defaultKey: string;
  readonly username: string;
  /** The personal agent; keys call it `main`. */
  readonly agentName: string | null;
}

const CLI = "cli";
export const DEFAULT_ACCOUNT = "default";
const OWN_ACCOUNTS: readonly (string | null)[] = [null, DEFAULT_ACCOUNT];
const PART_CHARS_MAX = 600;

export function keyText({ agentId, channel, accountId, peerId }: SessionKey): string {
  const account = accountId === null ? "" : `${accountId}:`;
  return `agent:${agentId}:${channel}:${account}dm:${peerId}`;
}

/** The key as it is stored, from any way to write it. Throws EINVAL if it is not a session key. */
export function canonicalKey(written: string, names: OwnNames): SessionKey {
  const isDefault = written.trim() === DEFAULT_SESSION;
  const text = isDefault ? names.defaultKey.trim() : written.trim();
  const key = (isDefault && text === "") || text === "main" || text === names.mainKey ? MAIN : partsOf(text);
  if (key === null) {
    throw new SysError("EINVAL", `not a session key: ${text.slice(0, 60).toWellFormed() || '""'}`, [
      `${MAIN_SESSION_KEY} is your own; others are agent:AGENT:CHANNEL:dm:PEER or agent:AGENT:CHANNEL:ACCOUNT:dm:PEER`,
    ]);
  }
  const named = { ...key, agentId: key.agentId === names.agentName ? MAIN_AGENT : key.agentId };
  return isOwn(named, names) ? MAIN : named;
}

const MAIN: SessionKey = { agentId: MAIN_AGENT, channel: CLI, accountId: null, peerId: "main" };

/** The sender in a key of another channel. Null for the terminal: its owner writes there, and the key names the conversation itself. */
export function senderIn({ agentId, channel, accountId, peerId }: SessionKey): Party | null {
  if (channel === CLI) return null;
  const [inChannel, account, peer] = [channel, accountId ?? DEFAULT_ACCOUNT, peerId].map(decoded);
  return { agentId, channel: inChannel ?? "", accountId: account ?? "", peerId: peer ?? "" };
}

export function keyFor(party: Party, scope: DmScope, links: IdentityLinks): SessionKey {
  const agentId = agentToken(party.agentId);
  const channel = channelToken(party.channel);
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

function personOf(party: Party, links: IdentityLinks): string {
  return token(linkedName(party, links) ?? party.peerId);
}

/** The linked name of a person; links name a `channel:peer`, or a `peer` in any channel, in any case. */
function linkedName({ channel, peerId }: Party, links: IdentityLinks): string | null {
  const names = [`${channel}:${peerId}`, peerId].map(fold);
  return Object.entries(links).find(([, linked]) => linked.some((each) => names.includes(fold(each))))?.[0] ?? null;
}

/** A sender of another channel who has one of the owner's names, without a link that says that it is the owner. */
export function isNamesake(party: Party, links: IdentityLinks, { mainKey, username }: OwnNames): boolean {
  if (party.channel === CLI || linkedName(party, links) !== null) return false;
  return ["main", mainKey, username].map(token).includes(token(party.peerId));
}

/** Ignores invalid entries of the setting. */
export function identityLinksOf(value: unknown): IdentityLinks {
  if (typeof value !== "object" || value === null) return {};
  const links = Object.entries(value).map(([person, names]) => {
    const listed: readonly unknown[] = Array.isArray(names) ? names : [names];
    return [person, listed.filter((name) => typeof name === "string")] as const;
  });
  return Object.fromEntries(links);
}

export function partsOf(text: string): SessionKey | null {
  const [agent, id = "", ...rest] = text.split(":");
  if (agent !== "agent" || id.trim() === "" || rest.some((part) => part.trim() === "")) return null;
  const agentId = agentToken(id);
  if (rest.length === 1 && rest[0] === "main") return { ...MAIN, agentId };
  const [channel = "", ...more] = rest;
  const [dm, peer = ""] = more.slice(-2);
  if (dm !== "dm" || more.length > 3) return null;
  const account = more.length === 3 ? partOf(more[0] ?? "") : null;
  return { agentId, channel: channelToken(decoded(channel)), accountId: account, peerId: partOf(peer) };
}

/** The owner's own conversation at the terminal, under any of their names. */
function isOwn({ agentId, channel, accountId, peerId }: SessionKey, { mainKey, username }: OwnNames): boolean {
  const isHere = agentId === MAIN_AGENT && channel === CLI && OWN_ACCOUNTS.includes(accountId);
  return isHere && ["main", token(mainKey), token(username)].includes(peerId);
}

/** Case counts: an agent is found by its exact name. */
function agentToken(text: string): string {
  const name = text.normalize("NFC");
  const odd = /[^A-Za-z0-9_-]/u.exec(name)?.[0];
  if (odd !== undefined) throw new SysError("EINVAL", `the name of an agent cannot contain ${characterText(odd)}`);
  if (name === "") throw new SysError("EINVAL", "the name of an agent is empty");
  return name;
}

/** The names of channels are gsv's own. */
function channelToken(text: string): string {
  const odd = /\p{Lu}/u.exec(text)?.[0];
  if (odd !== undefined) throw new SysError("EINVAL", `the name of a channel cannot contain ${characterText(odd)}`);
  return token(text);
}

/** A part of a written key; it may be percent-encoded. */
function partOf(text: string): string {
  return token(decoded(text));
}

function token(text: string): string {
  const name = text.normalize("NFC");
  const odd = /[\p{Cc}\p{Cs}]/u.exec(name)?.[0];
  if (odd !== undefined) throw new SysError("EINVAL", `a session key cannot contain ${characterText(odd)}`);
  const encoded = name.replace(/[^A-Za-z0-9.+@_-]/gu, percentEncoded);
  if (name.trim() === "") throw new SysError("EINVAL", "a part of a session key is empty");
  if (encoded.length > PART_CHARS_MAX)
    throw new SysError("EINVAL", `a part of a session key is longer than ${PART_CHARS_MAX} characters`);
  return encoded;
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** The text behind percent signs; as written if they are not an encoding. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function characterText(character: string): string {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return /[\p{L}\p{P}\p{S}\p{N}]/u.test(character) ? `${character} (${code})` : code;
}

function fold(text: string): string {
  return text.trim().toLowerCase().normalize("NFC");
}
