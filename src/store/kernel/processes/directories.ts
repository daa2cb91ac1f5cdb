// Directories that a person allowed: trusted ones, whose files may instruct agents (per account), and host directories attached to a
// workspace, or to a process without one.

import type { KernelDb } from "../db.ts";

export interface TrustRows {
  of(ownerUid: number, directory: string): Promise<boolean>;
  set(
    ownerUid: number,
    directory: string,
    decision: { readonly trusted: boolean; readonly by: number; readonly now: number },
  ): Promise<void>;
}

export function trustRows(kernel: KernelDb): TrustRows {
  const { db } = kernel;
  return {
    async of(ownerUid, directory) {
      const row = db.get(
        "SELECT 1 AS one FROM trusted_directories WHERE owner_uid = ? AND directory = ?",
        ownerUid,
        directory,
      );
      return row !== null;
    },
    async set(ownerUid, directory, { trusted, by, now }) {
      kernel.write("full", () => {
        if (!trusted)
          return db.run("DELETE FROM trusted_directories WHERE owner_uid = ? AND directory = ?", ownerUid, directory);
        return db.run(
          "INSERT OR REPLACE INTO trusted_directories (owner_uid, directory, trusted_by, trusted_at) VALUES (?, ?, ?, ?)",
          ownerUid,
          directory,
          by,
          now,
        );
      });
    },
  };
}

export interface AttachmentRows {
  /** The workspace's own directory first, then attached ones, newest first. */
  of(scope: string): Promise<readonly string[]>;
  attach(scope: string, directory: string, now: number): Promise<void>;
}

export function attachmentRows(kernel: KernelDb): AttachmentRows {
  const { db } = kernel;
  return {
    async of(scope) {
      const rows = db.all<{ readonly directory: string }>(
        `SELECT directory, 0 AS rank, created_at AS at FROM workspaces
         WHERE workspace_id = ?1 AND directory IS NOT NULL AND state = 'active'
         UNION SELECT directory, 1, attached_at FROM host_directories WHERE scope = ?1 ORDER BY rank, at DESC, directory`,
        scope,
      );
      return rows.map(({ directory }) => directory);
    },
    async attach(scope, directory, now) {
      kernel.write("full", () =>
        db.run(
          "INSERT OR REPLACE INTO host_directories (scope, directory, attached_at) VALUES (?, ?, ?)",
          scope,
          directory,
          now,
        ),
      );
    },
  };
}
