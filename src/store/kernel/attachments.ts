// Which directories of this machine a workspace may use: those that a person said yes to. A process without a workspace stands for one.

import type { KernelDb } from "./db.ts";

export interface AttachmentRows {
  /** The newest first. */
  of(scope: string): Promise<readonly string[]>;
  attach(scope: string, directory: string, now: number): Promise<void>;
}

export function attachmentRows(kernel: KernelDb): AttachmentRows {
  const { db } = kernel;
  return {
    async of(scope) {
      const rows = db.all<{ readonly directory: string }>(
        "SELECT directory FROM host_directories WHERE scope = ? ORDER BY attached_at DESC, directory",
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
