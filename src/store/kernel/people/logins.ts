// Login credentials as far as the database may know them: tokens as the sha256 of 256 random bits, and failed attempts. Reading them
// gives no access.

import { sameHash } from "../../../lib/hash.ts";
import type { KernelDb } from "../db.ts";

/** `login` and `browser`: of a person who came over the network. `metrics`: opens only the figures of the kernel. */
export type TokenKind = "user" | "node" | "service" | "metrics" | "login" | "browser";

export interface TokenRow {
  readonly id: string;
  readonly uid: number;
  readonly kind: TokenKind;
  readonly label: string | null;
  readonly prefix: string;
  readonly role: string;
  readonly device: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly revokedReason: string | null;
  /** What its client called itself, and its address, at the last use over the network. */
  readonly client: string | null;
  readonly address: string | null;
  /** Capabilities that it is limited to, separated by commas; null: all of its account. */
  readonly allow: string | null;
}

export interface TokenHashes {
  readonly hash: string;
  /** Only of a browser's login. */
  readonly keyHash: string | null;
}

export interface TokenRows {
  /** An existing id gets a new secret. */
  put(row: TokenRow, hashes: TokenHashes): Promise<void>;
  get(id: string): Promise<TokenRow | null>;
  byHash(hash: string): Promise<(TokenRow & TokenHashes) | null>;
  list(uid: number | null): Promise<readonly TokenRow[]>;
  used(id: string, now: number, from: Pick<TokenRow, "client" | "address">): Promise<void>;
  revoke(id: string, reason: string | null, now: number): Promise<void>;
  /** Deletes limited tokens of this label that ended: programs make one at each start. */
  forgetLimited(uid: number, label: string | null, now: number): Promise<void>;
  /** Deletes the logins of an account that ended before, and those used longest ago beyond `most`. Returns their ids. */
  forgetLogins(uid: number, limits: { readonly before: number; readonly most: number }): Promise<readonly string[]>;
}

export interface LockoutRow {
  readonly failures: number;
  readonly lastFailedAt: number;
  readonly lockedUntil: number | null;
}

export interface LockoutSubject {
  readonly kind: "account" | "peer";
  readonly subject: string;
}

export interface LockoutRows {
  /** Several subjects in one transaction, so that concurrent attempts both count. `next` returning null deletes the row. */
  change(
    subjects: readonly LockoutSubject[],
    next: (subject: LockoutSubject, row: LockoutRow | null) => LockoutRow | null,
  ): Promise<void>;
  /** Deletes rows without a failure since `before`, and the oldest beyond the newest `rowsMax`. */
  forget(before: number, rowsMax: number): Promise<void>;
}

export interface CodeRow {
  readonly selector: string;
  readonly uid: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface CodeRows {
  /** Of an account only the newest `most` codes stay. */
  put(row: CodeRow, hash: string, most: number): Promise<void>;
  /** The account of a right code, which is then used up. A wrong one counts; after `triesMax` the code is gone. */
  redeem(
    code: { readonly selector: string; readonly hash: string },
    now: number,
    triesMax: number,
  ): Promise<number | null>;
}

const COLUMNS = `token_id AS id, uid, kind, label, token_prefix AS prefix, allowed_role AS role, allowed_device_id AS device,
  created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt, revoked_at AS revokedAt, revoked_reason AS revokedReason,
  client, address, allowed_capabilities AS allow`;

type Columns = { readonly [K in keyof TokenRow]: TokenRow[K] };

export function tokenRows(kernel: KernelDb): TokenRows {
  const { db } = kernel;
  return {
    async put(row, { hash, keyHash }) {
      kernel.write("full", () =>
        db.insert(
          "auth_tokens",
          {
            token_id: row.id,
            uid: row.uid,
            kind: row.kind,
            label: row.label,
            token_hash: hash,
            token_prefix: row.prefix,
            allowed_role: row.role,
            allowed_device_id: row.device,
            created_at: row.createdAt,
            expires_at: row.expiresAt,
            key_hash: keyHash,
            client: row.client,
            address: row.address,
            allowed_capabilities: row.allow,
          },
          "REPLACE",
        ),
      );
    },
    get: async (id) => db.get<Columns>(`SELECT ${COLUMNS} FROM auth_tokens WHERE token_id = ?`, id),
    byHash: async (hash) =>
      db.get<Columns & { readonly [K in keyof TokenHashes]: TokenHashes[K] }>(
        `SELECT ${COLUMNS}, token_hash AS hash, key_hash AS keyHash FROM auth_tokens WHERE token_hash = ?`,
        hash,
      ),
    list: async (uid) =>
      db.all<Columns>(
        `SELECT ${COLUMNS} FROM auth_tokens WHERE ?1 IS NULL OR uid = ?1 ORDER BY created_at, token_id`,
        uid,
      ),
    async used(id, now, { client, address }) {
      const seen = "last_used_at = ?, client = coalesce(?, client), address = coalesce(?, address)";
      kernel.write("normal", () =>
        db.run(`UPDATE auth_tokens SET ${seen} WHERE token_id = ?`, now, client, address, id),
      );
    },
    async revoke(id, reason, now) {
      kernel.write("full", () =>
        db.run(
          "UPDATE auth_tokens SET revoked_at = ?, revoked_reason = ? WHERE token_id = ? AND revoked_at IS NULL",
          now,
          reason,
          id,
        ),
      );
    },
    async forgetLimited(uid, label, now) {
      kernel.write("normal", () =>
        db.run(
          `DELETE FROM auth_tokens WHERE uid = ? AND label IS ? AND allowed_capabilities IS NOT NULL
            AND (revoked_at IS NOT NULL OR expires_at <= ?)`,
          uid,
          label,
          now,
        ),
      );
    },
    async forgetLogins(uid, { before, most }) {
      const own = "uid = ?1 AND kind IN ('login', 'browser')";
      const newest = `SELECT token_id FROM auth_tokens WHERE ${own} ORDER BY last_used_at DESC, token_id DESC LIMIT ?3`;
      const gone = `${own} AND (coalesce(revoked_at, expires_at) <= ?2 OR token_id NOT IN (${newest}))`;
      const rows = db.all<{ readonly id: string }>(
        `SELECT token_id AS id FROM auth_tokens WHERE ${gone}`,
        uid,
        before,
        most,
      );
      if (rows.length > 0)
        kernel.write("normal", () => db.run(`DELETE FROM auth_tokens WHERE ${gone}`, uid, before, most));
      return rows.map(({ id }) => id);
    },
  };
}

export function lockoutRows(kernel: KernelDb): LockoutRows {
  const { db } = kernel;
  const row = ({ kind, subject }: LockoutSubject) =>
    db.get<{ readonly [K in keyof LockoutRow]: LockoutRow[K] }>(
      `SELECT failures, last_failed_at AS lastFailedAt, locked_until AS lockedUntil FROM login_guard WHERE kind = ? AND subject = ?`,
      kind,
      subject,
    );
  return {
    async change(subjects, next) {
      kernel.write("full", () => {
        for (const each of subjects) {
          const after = next(each, row(each));
          if (after === null) db.run("DELETE FROM login_guard WHERE kind = ? AND subject = ?", each.kind, each.subject);
          else
            db.insert(
              "login_guard",
              {
                kind: each.kind,
                subject: each.subject,
                failures: after.failures,
                last_failed_at: after.lastFailedAt,
                locked_until: after.lockedUntil,
              },
              "REPLACE",
            );
        }
      });
    },
    async forget(before, rowsMax) {
      const newest = "SELECT rowid FROM login_guard ORDER BY last_failed_at DESC LIMIT ?";
      kernel.write("normal", () =>
        db.run(`DELETE FROM login_guard WHERE last_failed_at < ? OR rowid NOT IN (${newest})`, before, rowsMax),
      );
    },
  };
}

export function codeRows(kernel: KernelDb): CodeRows {
  const { db } = kernel;
  return {
    async put({ selector, uid, createdAt, expiresAt }, hash, most) {
      const others = "SELECT selector FROM entry_codes WHERE uid = ? ORDER BY created_at DESC LIMIT -1 OFFSET ?";
      kernel.write("full", () => {
        db.run("DELETE FROM entry_codes WHERE expires_at <= ?", createdAt);
        const values = { selector, code_hash: hash, uid, created_at: createdAt, expires_at: expiresAt, tries: 0 };
        db.insert("entry_codes", values, "REPLACE");
        db.run(`DELETE FROM entry_codes WHERE selector IN (${others})`, uid, most);
      });
    },
    async redeem({ selector, hash }, now, triesMax) {
      const row = db.get<{ readonly hash: string; readonly uid: number }>(
        "SELECT code_hash AS hash, uid FROM entry_codes WHERE selector = ? AND expires_at > ?",
        selector,
        now,
      );
      // Guesses at random cost no write.
      if (row === null) return null;
      const isRight = sameHash(row.hash, hash);
      kernel.write("full", () => {
        db.run("UPDATE entry_codes SET tries = tries + ? WHERE selector = ?", isRight ? triesMax : 1, selector);
        db.run("DELETE FROM entry_codes WHERE selector = ? AND tries >= ?", selector, triesMax);
      });
      return isRight ? row.uid : null;
    },
  };
}
