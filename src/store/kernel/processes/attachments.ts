// Which directories of this machine a workspace may use: those that a person said yes to. A process without a workspace stands for one.

import type { KernelDb } from "../db.ts";

export interface AttachmentRows {
  /** The directory that a workspace is goes before those attached to it, and of these the newest. */
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
