// Which directories an account trusts to speak to its agents: of this machine by their real path, of gsv's own workspaces by theirs.

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
