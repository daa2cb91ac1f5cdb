// Every id gsv hands out: how it looks, how it is checked, how it is made from injected randomness.
// Run, archive and request ids are UUIDv7 (they sort by time); approval ids are 4 of a-z0-9, unique among open ones.

/** Also for schemas. */
export const PID_PATTERN = "^(?:init:(?:0|[1-9][0-9]{0,9})|task:[a-z0-9]{6})$";
const PID = new RegExp(PID_PATTERN);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const WORKSPACE = /^(?:ws|dir)_[a-z0-9]{6}$/;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Fills a fresh array with random bytes. Injected, so that a seed reproduces a run. */
export type RandomBytes = (length: number) => Uint8Array;

export function initPid(uid: number): string {
  return `init:${uid}`;
}

export function isInit(pid: string): boolean {
  return pid.startsWith("init:");
}

export function isPid(text: string): boolean {
  return PID.test(text);
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text);
}

export function taskPid(random: RandomBytes): string {
  return `task:${letters(6, random)}`;
}

/** `ws_…` is a tree that gsv stores, `dir_…` a host directory: a path alone says which it is. */
export function workspaceId(kind: "ws" | "dir", random: RandomBytes): string {
  return `${kind}_${letters(6, random)}`;
}

export function isWorkspaceId(text: string): boolean {
  return WORKSPACE.test(text);
}

export function approvalId(random: RandomBytes): string {
  return letters(4, random);
}

/** Of a call between processes. */
export function callId(random: RandomBytes): string {
  return letters(8, random);
}

export function uuidv7(nowMs: number, random: RandomBytes): string {
  const bytes = new Uint8Array(16);
  bytes.set(random(16));
  for (let index = 0; index < 6; index++) bytes[index] = Math.floor(nowMs / 2 ** (8 * (5 - index))) % 256;
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return dashed(bytes);
}

function dashed(bytes: Uint8Array): string {
  const hex = bytes.toHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const SHORT = /^[0-9a-f]{8}$/;

/** For people: the end of a UUID. In a UUIDv7 the beginning is the time. */
export function shortId(uuid: string): string {
  return uuid.slice(-8);
}

export function isShortId(text: string): boolean {
  return SHORT.test(text);
}

/** Random throughout, so its first characters identify it. */
export function uuidv4(random: RandomBytes): string {
  const bytes = new Uint8Array(16);
  bytes.set(random(16));
  bytes[6] = 0x40 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return dashed(bytes);
}

// Bytes of 252 and more are thrown away: 252 is the largest multiple of 36 that fits, so every letter is equally likely.
function letters(count: number, random: RandomBytes): string {
  let text = "";
  while (text.length < count) {
    for (const byte of random(count * 2)) {
      if (byte < 252 && text.length < count) text += ALPHABET[byte % 36];
    }
  }
  return text;
}
