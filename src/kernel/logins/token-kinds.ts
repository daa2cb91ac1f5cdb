// Kinds of tokens, each with the role of its connections, and the hash under which a token is stored.

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

/** Made by an entry over the network, not by a person for a program. */
export function isLogin(kind: TokenKind): boolean {
  return kind === "login" || kind === "browser";
}

/** Of a person, with all rights of the account. */
export function isPersons(kind: TokenKind): boolean {
  return kind === "user" || isLogin(kind);
}

export function tokenHash(token: string): string {
  return sha256Hex(token);
}
