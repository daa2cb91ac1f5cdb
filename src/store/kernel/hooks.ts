// Decisions about hooks, per account and content hash. Root's decisions apply to every account.

import type { Db } from "../open.ts";
import type { KernelDb } from "./db.ts";

/** seen: shown to a person, not decided. */
export type HookDecision = "seen" | "allowed" | "denied";

export interface HookRow {
  readonly ownerUid: number;
  /** `EVENT/NAME`. */
  readonly hook: string;
  readonly sha256: string;
  readonly decision: HookDecision;
  readonly by: string;
  readonly at: number;
}

export interface HookRows {
  all(): Promise<readonly HookRow[]>;
  set(row: HookRow): Promise<void>;
}

type Columns = { readonly [K in keyof HookRow]: HookRow[K] };

export function hookRows(kernel: KernelDb): HookRows {
  const { db } = kernel;
  return {
    all: async () => hooksIn(db),
    async set({ ownerUid, hook, sha256, decision, by, at }) {
      kernel.write("full", () =>
        db.run(
          "INSERT OR REPLACE INTO hooks (owner_uid, hook, sha256, decision, decided_by, decided_at) VALUES (?, ?, ?, ?, ?, ?)",
          ...[ownerUid, hook, sha256, decision, by, at],
        ),
      );
    },
  };
}

export function hooksIn(db: Db): readonly HookRow[] {
  return db.all<Columns>(
    "SELECT owner_uid AS ownerUid, hook, sha256, decision, decided_by AS by, decided_at AS at FROM hooks ORDER BY hook, owner_uid",
  );
}
