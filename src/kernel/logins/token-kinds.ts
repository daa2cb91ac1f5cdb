// Kinds of tokens, each with the role of its connections, and how their secrets are made and stored.

import type { RandomBytes } from "../../abi/ids.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { TokenKind } from "../../store/kernel/people/logins.ts";

export const ROLES: { readonly [K in TokenKind]: string } = {
  user: "user",
  node: "driver",
  service: "service",
  metrics: "metrics",
  login: "user",
  browser: "user",
};

const RANDOM_BYTES = 32;
const PREFIX_CHARS = 16;

/** Made by an entry over the network, not by a person for a program. */
export function isLogin(kind: TokenKind): boolean {
  return kind === "login" || kind === "browser";
}

/** Of a person, with all rights of the account. */
export function isPersons(kind: TokenKind): boolean {
  return kind === "user" || isLogin(kind);
}

/** 256 random bits after a name that tells secrets of gsv apart. */
export function newSecret(name: TokenKind | "key", random: RandomBytes): string {
  return `gsv_${name}_${Buffer.from(random(RANDOM_BYTES)).toString("base64url")}`;
}

/** The part that is shown in lists. */
export function prefixOf(token: string): string {
  return token.slice(0, PREFIX_CHARS);
}

export function tokenHash(token: string): string {
  return sha256Hex(token);
}
