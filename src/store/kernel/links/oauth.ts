// OAuth accounts and flows. Tokens, verifiers and client secrets are in the secret store: a row only says where.

import type { OAuthKind } from "../../../abi/links/oauth.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";

/** What both an account and a flow know of the service. */
interface OAuthParty {
  readonly id: string;
  readonly uid: number;
  readonly kind: OAuthKind;
  readonly provider: string;
  readonly accountKey: string;
  readonly label: string | null;
  readonly clientId: string;
  readonly scope: string | null;
  readonly resource: string | null;
  /** Where its secrets are. */
  readonly secret: string;
  readonly about: OAuthAbout;
  readonly createdAt: number;
}

/** The server that gives the tokens, as it was when the person signed in. */
export interface OAuthAbout {
  readonly issuer: string;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  /** Its answers always name it. */
  readonly namesItself: boolean;
  /** false if a person typed its addresses: then nothing says who it is. */
  readonly isPublished: boolean;
  /** How a client identifies itself there. */
  readonly authMethods: readonly string[];
  readonly clientAuth: string | null;
  /** `static`: a person gave the client id, and it serves the next sign-in too. */
  readonly client: "static" | "document" | "registered";
  /** Of an MCP server: its tokens go nowhere else. */
  readonly server: string | null;
  /** Addresses of this computer may be reached. */
  readonly loopback: boolean;
  readonly callbackPort: number | null;
}

export interface OAuthAccountRow extends OAuthParty {
  readonly tokenType: string;
  readonly isRenewed: boolean;
  readonly expiresAt: number | null;
  readonly updatedAt: number;
  readonly lastUsedAt: number | null;
  readonly needsLogin: boolean;
  readonly wantedScope: string | null;
}

export interface OAuthFlowRow extends OAuthParty {
  readonly stateHash: string;
  /** null with a device code. */
  readonly redirectUri: string | null;
  readonly extra: { readonly [name: string]: string };
  readonly expiresAt: number;
  readonly intervalMs: number | null;
}

type Renewed = Pick<OAuthAccountRow, "secret" | "isRenewed" | "expiresAt" | "scope" | "tokenType" | "updatedAt">;

export interface OAuthRows {
  accounts(uid: number): Promise<readonly OAuthAccountRow[]>;
  account(id: string): Promise<OAuthAccountRow | null>;
  /** Stores the account of a finished flow and ends the flow, in one transaction. */
  finish(row: OAuthAccountRow, flow: string): Promise<void>;
  /** False while another renewal holds the account. */
  lease(id: string, asked: { readonly now: number; readonly until: number }): Promise<boolean>;
  /** Stores the new tokens and ends the lease, in one transaction. */
  renewed(id: string, renewed: Renewed): Promise<void>;
  /** Ends the lease without new tokens. */
  release(id: string, asked: { readonly needsLogin: boolean }): Promise<void>;
  wanted(id: string, scope: string | null): Promise<void>;
  used(id: string, now: number): Promise<void>;
  remove(id: string): Promise<void>;

  begin(flow: OAuthFlowRow): Promise<void>;
  flow(id: string): Promise<OAuthFlowRow | null>;
  /** True once: the flow takes no other answer. */
  claim(id: string, asked: { readonly stateHash: string; readonly now: number }): Promise<boolean>;
  /** Flows that are expired. After a crash also those that a dead kernel had claimed. */
  over(now: number, claimed: boolean): Promise<readonly OAuthFlowRow[]>;
  end(flow: string): Promise<void>;
}

interface Columns {
  readonly [name: string]: string | number | null;
}

export function oauthRows(kernel: KernelDb): OAuthRows {
  const { db } = kernel;
  const full = (sql: string, ...values: (string | number | null)[]) =>
    kernel.write("full", () => db.run(sql, ...values));
  const accountBy = (sql: string, ...values: (string | number)[]) => db.all<Columns>(sql, ...values).map(accountFrom);
  const flowBy = (sql: string, ...values: (string | number)[]) => db.all<Columns>(sql, ...values).map(flowFrom);
  return {
    accounts: async (uid) =>
      accountBy("SELECT * FROM oauth_accounts WHERE uid = ? ORDER BY kind, provider, account_key", uid),
    account: async (id) => accountBy("SELECT * FROM oauth_accounts WHERE account_id = ?", id)[0] ?? null,
    async finish(row, flow) {
      kernel.write("full", () => {
        putAccount(db, row);
        db.run("DELETE FROM oauth_flows WHERE flow_id = ?", flow);
      });
    },
    lease: async (id, { now, until }) =>
      full(
        "UPDATE oauth_accounts SET lease_until = ? WHERE account_id = ? AND (lease_until IS NULL OR lease_until <= ?)",
        ...[until, id, now],
      ) === 1,
    async renewed(id, { secret, isRenewed, expiresAt, scope, tokenType, updatedAt }) {
      full(
        `UPDATE oauth_accounts SET access_token = ?, refresh_token = ?, expires_at = ?, scope = ?, token_type = ?, updated_at = ?,
           needs_login = 0, lease_until = NULL WHERE account_id = ?`,
        ...[secret, isRenewed ? secret : null, expiresAt, scope, tokenType, updatedAt, id],
      );
    },
    async release(id, { needsLogin }) {
      full(
        "UPDATE oauth_accounts SET lease_until = NULL, needs_login = max(needs_login, ?) WHERE account_id = ?",
        ...[needsLogin ? 1 : 0, id],
      );
    },
    async wanted(id, scope) {
      full("UPDATE oauth_accounts SET wanted_scope = ? WHERE account_id = ?", scope, id);
    },
    async used(id, now) {
      kernel.write("normal", () => db.run("UPDATE oauth_accounts SET last_used_at = ? WHERE account_id = ?", now, id));
    },
    async remove(id) {
      full("DELETE FROM oauth_accounts WHERE account_id = ?", id);
    },

    async begin(flow) {
      kernel.write("full", () => putFlow(db, flow));
    },
    flow: async (id) => flowBy("SELECT * FROM oauth_flows WHERE flow_id = ?", id)[0] ?? null,
    claim: async (id, { stateHash, now }) =>
      full(
        "UPDATE oauth_flows SET claimed_at = ? WHERE flow_id = ? AND state_hash = ? AND claimed_at IS NULL AND expires_at > ?",
        ...[now, id, stateHash, now],
      ) === 1,
    over: async (now, claimed) =>
      flowBy(
        "SELECT * FROM oauth_flows WHERE expires_at <= ? OR (claimed_at IS NOT NULL AND ?)",
        ...[now, claimed ? 1 : 0],
      ),
    async end(flow) {
      full("DELETE FROM oauth_flows WHERE flow_id = ?", flow);
    },
  };
}

function putAccount(db: Db, row: OAuthAccountRow): void {
  db.run(
    `INSERT OR REPLACE INTO oauth_accounts (account_id, uid, kind, provider, account_key, label, scope, resource, client_id, token_type,
       access_token, refresh_token, expires_at, created_at, updated_at, last_used_at, metadata_json, needs_login, wanted_scope)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[row.id, row.uid, row.kind, row.provider, row.accountKey, row.label, row.scope, row.resource, row.clientId],
    ...[row.tokenType, row.secret, row.isRenewed ? row.secret : null, row.expiresAt, row.createdAt, row.updatedAt],
    ...[row.lastUsedAt, JSON.stringify(row.about), row.needsLogin ? 1 : 0, row.wantedScope],
  );
}

function putFlow(db: Db, row: OAuthFlowRow): void {
  const { authorizationEndpoint, tokenEndpoint } = row.about;
  db.run(
    `INSERT INTO oauth_flows (flow_id, state_hash, uid, kind, provider, account_key, label, authorization_endpoint, token_endpoint,
       client_id, redirect_uri, scope, resource, extra_auth_params_json, code_verifier, created_at, expires_at, metadata_json)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[row.id, row.stateHash, row.uid, row.kind, row.provider, row.accountKey, row.label, authorizationEndpoint],
    ...[tokenEndpoint, row.clientId, row.redirectUri, row.scope, row.resource, JSON.stringify(row.extra), row.secret],
    ...[row.createdAt, row.expiresAt, JSON.stringify({ ...row.about, intervalMs: row.intervalMs })],
  );
}

function partyFrom(row: Columns) {
  return {
    ...{ uid: row.uid as number, kind: row.kind as OAuthKind, provider: row.provider as string },
    ...{ accountKey: row.account_key as string, label: row.label as string | null, clientId: row.client_id as string },
    ...{ scope: row.scope as string | null, resource: row.resource as string | null },
    createdAt: row.created_at as number,
  };
}

function accountFrom(row: Columns): OAuthAccountRow {
  return {
    ...partyFrom(row),
    ...{ id: row.account_id as string, secret: row.access_token as string, tokenType: row.token_type as string },
    ...{ isRenewed: row.refresh_token !== null, expiresAt: row.expires_at as number | null },
    ...{ updatedAt: row.updated_at as number, lastUsedAt: row.last_used_at as number | null },
    ...{ needsLogin: row.needs_login === 1, wantedScope: row.wanted_scope as string | null },
    about: JSON.parse(row.metadata_json as string) as OAuthAbout,
  };
}

function flowFrom(row: Columns): OAuthFlowRow {
  const { intervalMs, ...about } = JSON.parse(row.metadata_json as string) as OAuthAbout & {
    intervalMs: number | null;
  };
  return {
    ...partyFrom(row),
    ...{ id: row.flow_id as string, stateHash: row.state_hash as string, secret: row.code_verifier as string },
    ...{ redirectUri: row.redirect_uri as string | null, expiresAt: row.expires_at as number },
    extra: JSON.parse(row.extra_auth_params_json as string) as { [name: string]: string },
    ...{ about, intervalMs },
  };
}
