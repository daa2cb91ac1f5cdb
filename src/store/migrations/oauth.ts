// The tables of sign-ins at other services, created by a migration.

import type { Migration } from "../migrate.ts";

export const OAUTH: Migration = {
  name: "OAuth accounts",
  statements: [
    // access_token and refresh_token say where the secret with the tokens is, never what it is. metadata_json: the server that gave them.
    // needs_login: the server refused them. wanted_scope: what a server asked for besides. lease_until: a renewal is under way.
    `CREATE TABLE oauth_accounts (
      account_id TEXT PRIMARY KEY, uid INTEGER NOT NULL, kind TEXT NOT NULL, provider TEXT NOT NULL, account_key TEXT NOT NULL,
      label TEXT, scope TEXT, resource TEXT, client_id TEXT NOT NULL, token_type TEXT NOT NULL, access_token TEXT NOT NULL,
      refresh_token TEXT, expires_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_used_at INTEGER,
      metadata_json TEXT NOT NULL, needs_login INTEGER NOT NULL DEFAULT 0, wanted_scope TEXT, lease_until INTEGER,
      UNIQUE (uid, kind, provider, account_key)
    ) STRICT`,
    // code_verifier says where the secret with the verifier is. claimed_at: the answer has come; no other is taken.
    `CREATE TABLE oauth_flows (
      flow_id TEXT PRIMARY KEY, state_hash TEXT NOT NULL UNIQUE, uid INTEGER NOT NULL, kind TEXT NOT NULL, provider TEXT NOT NULL,
      account_key TEXT NOT NULL, label TEXT, authorization_endpoint TEXT, token_endpoint TEXT NOT NULL, client_id TEXT NOT NULL,
      redirect_uri TEXT, scope TEXT, resource TEXT, extra_auth_params_json TEXT NOT NULL, code_verifier TEXT NOT NULL,
      created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, metadata_json TEXT NOT NULL, claimed_at INTEGER
    ) STRICT`,
    "CREATE INDEX oauth_flows_by_expiry ON oauth_flows (expires_at)",
  ],
};
