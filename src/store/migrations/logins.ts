// What the network needs of logins, created by a migration.

import type { Migration } from "../migrate.ts";

export const LOGINS: Migration = {
  name: "logins over the network",
  statements: [
    // key_hash: only of a browser's login, which is worth nothing without its key. client and address: where it was last used.
    "ALTER TABLE auth_tokens ADD COLUMN key_hash TEXT",
    "ALTER TABLE auth_tokens ADD COLUMN client TEXT",
    "ALTER TABLE auth_tokens ADD COLUMN address TEXT",
    // One-time codes. The selector finds the row, so that wrong guesses count against one code.
    `CREATE TABLE entry_codes (
      selector TEXT PRIMARY KEY, code_hash TEXT NOT NULL, uid INTEGER NOT NULL, created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
  ],
};

export const TOKEN_LIMITS: Migration = {
  name: "tokens with limited capabilities",
  // Separated by commas; null: all of the account.
  statements: ["ALTER TABLE auth_tokens ADD COLUMN allowed_capabilities TEXT"],
};
