// Login credentials as far as the database may know them: tokens as the sha256 of 256 random bits, and failed attempts. Reading them
// gives no access.

import type { KernelDb } from "../db.ts";

export type TokenKind = "user" | "node" | "service";

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
}

export interface TokenRows {
  /** An existing id gets a new secret. */
  put(row: TokenRow, hash: string): Promise<void>;
  get(id: string): Promise<TokenRow | null>;
  byHash(hash: string): Promise<(TokenRow & { readonly hash: string }) | null>;
  list(uid: number | null): Promise<readonly TokenRow[]>;
  used(id: string, now: number): Promise<void>;
  revoke(id: string, reason: string | null, now: number): Promise<void>;
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
  get(subject: LockoutSubject): Promise<LockoutRow | null>;
  /** Several subjects in one transaction, so that concurrent attempts both count. `next` returning null deletes the row. */
  change(
    subjects: readonly LockoutSubject[],
    next: (subject: LockoutSubject, row: LockoutRow | null) => LockoutRow | null,
  ): Promise<void>;
}

const COLUMNS = `token_id AS id, uid, kind, label, token_prefix AS prefix, allowed_role AS role, allowed_device_id AS device,
  created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt, revoked_at AS revokedAt, revoked_reason AS revokedReason`;

type Columns = { readonly [K in keyof TokenRow]: TokenRow[K] };

export function tokenRows(kernel: KernelDb): TokenRows {
  const { db } = kernel;
  return {
    async put(row, hash) {
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
          },
          "REPLACE",
        ),
      );
    },
    get: async (id) => db.get<Columns>(`SELECT ${COLUMNS} FROM auth_tokens WHERE token_id = ?`, id),
    byHash: async (hash) =>
      db.get<Columns & { readonly hash: string }>(
        `SELECT ${COLUMNS}, token_hash AS hash FROM auth_tokens WHERE token_hash = ?`,
        hash,
      ),
    list: async (uid) =>
      db.all<Columns>(
        `SELECT ${COLUMNS} FROM auth_tokens WHERE ?1 IS NULL OR uid = ?1 ORDER BY created_at, token_id`,
        uid,
      ),
    async used(id, now) {
      kernel.write("normal", () => db.run("UPDATE auth_tokens SET last_used_at = ? WHERE token_id = ?", now, id));
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
    get: async (subject) => row(subject),
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
  };
}
