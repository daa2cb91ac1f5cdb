// The services behind account.*, group.*, sys.token.*, audit.* and proc.caps, as types.

import type { Caller } from "../../abi/identity.ts";
import type { CallContext } from "../define.ts";

export interface AccountInfo {
  readonly username: string;
  readonly uid: number;
  readonly kind: "root" | "human" | "personal" | "agent" | "system";
  /** The human an agent belongs to. */
  readonly owner: string | null;
  readonly groups: readonly string[];
  readonly home: string;
  readonly comment: string;
  readonly password: boolean;
  readonly locked: boolean;
}

export interface NewAccountRequest {
  readonly username: string;
  readonly agent: boolean;
  readonly system: boolean;
  readonly owner?: string;
  readonly comment?: string;
}

export interface AccountChange {
  readonly username: string;
  readonly comment?: string;
  readonly lock: boolean;
  readonly unlock: boolean;
}

export interface PasswordChange {
  /** Default: the caller. */
  readonly username?: string;
  readonly old?: string;
  readonly password: string;
  /** A person typed it on a terminal. */
  readonly typed: boolean;
}

export interface RemovedAccount {
  readonly username: string;
  /** Processes that were archived and ended. */
  readonly ended: readonly string[];
}

export interface Accounts {
  /** The caller and its agents; for root, all. */
  list(caller: Caller): Promise<{ readonly accounts: readonly AccountInfo[] }>;
  create(context: CallContext, request: NewAccountRequest): Promise<AccountInfo>;
  update(context: CallContext, change: AccountChange): Promise<AccountInfo>;
  remove(
    context: CallContext,
    request: { readonly username: string; readonly force: boolean },
  ): Promise<RemovedAccount>;
  passwd(context: CallContext, change: PasswordChange): Promise<{ readonly username: string }>;
}

export interface GroupInfo {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
  readonly capabilities: readonly string[];
}

export interface Groups {
  /** The caller's groups; for root, all. */
  list(caller: Caller): Promise<{ readonly groups: readonly GroupInfo[] }>;
  add(context: CallContext, name: string): Promise<GroupInfo>;
  change(
    context: CallContext,
    change: {
      readonly name: string;
      readonly add?: string;
      readonly remove?: string;
      readonly grant?: string;
      readonly revoke?: string;
    },
  ): Promise<GroupInfo>;
  remove(context: CallContext, name: string): Promise<{ readonly name: string }>;
}

export interface TokenInfo {
  readonly id: string;
  readonly account: string;
  readonly kind: "user" | "node" | "service" | "metrics" | "login" | "browser";
  readonly role: string;
  readonly label: string | null;
  /** The first characters, to tell tokens apart. */
  readonly prefix: string;
  readonly device: string | null;
  /** Capabilities that it is limited to; null: all of its account. */
  readonly allow: readonly string[] | null;
  readonly state: "live" | "expired" | "revoked";
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
}

export interface Tokens {
  list(caller: Caller): Promise<{ readonly tokens: readonly TokenInfo[] }>;
  /** The only answer that contains the token. */
  create(
    context: CallContext,
    request: {
      readonly kind: "user" | "node" | "service" | "metrics";
      readonly role?: string;
      readonly label?: string;
      readonly device?: string;
      readonly expires?: string;
      readonly allow?: string;
    },
  ): Promise<TokenInfo & { readonly token: string }>;
  revoke(context: CallContext, request: { readonly id: string; readonly reason?: string }): Promise<TokenInfo>;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly account: string;
  readonly pid: string | null;
  readonly call: string;
  readonly outcome: string;
  readonly detail: string;
}

export interface AuditLog {
  list(
    context: Pick<CallContext, "caller" | "client">,
    query: { readonly denied: boolean; readonly since?: string; readonly limit: number },
  ): Promise<{ readonly entries: readonly AuditEntry[] }>;
}

export interface ProcessCaps {
  readonly pid: string;
  readonly runAs: string;
  /** Its account's capabilities without the dropped ones. */
  readonly capabilities: readonly string[];
  readonly dropped: readonly string[];
}

export interface Rights {
  of(caller: Caller, pid: string): Promise<ProcessCaps>;
}
