// Changed settings: one row per key and layer, values as text. Defaults are in the schema, not here.

import type { KernelDb } from "./db.ts";

export interface ConfigRow {
  readonly key: string;
  readonly value: string;
}

export interface ConfigChange {
  readonly key: string;
  /** Null deletes the row. */
  readonly value: string | null;
}

export interface ConfigRows {
  /** Rows by key prefix, sorted. */
  under(prefix: string): Promise<readonly ConfigRow[]>;
  /** Atomic. */
  change(changes: readonly ConfigChange[], by: { readonly uid: number; readonly now: number }): Promise<void>;
}

const PREFIXES_MAX = 200;

export function configRows(kernel: KernelDb): ConfigRows {
  const { db } = kernel;
  // Each turn reads the same prefixes about twenty times. Only the writer may keep them: others do not see its changes.
  const known = new Map<string, readonly ConfigRow[]>();
  return {
    async under(prefix) {
      const kept = known.get(prefix);
      if (kept !== undefined) return kept;
      const rows = db.all<{ key: string; value: string }>(
        "SELECT key, value FROM config_kv WHERE key >= ? AND substr(key, 1, length(?)) = ? ORDER BY key",
        prefix,
        prefix,
        prefix,
      );
      if (known.size >= PREFIXES_MAX) known.clear();
      if (kernel.isWriter) known.set(prefix, rows);
      return rows;
    },
    async change(changes, { uid, now }) {
      known.clear();
      kernel.write("full", () => {
        for (const { key, value } of changes) {
          if (value === null) db.run("DELETE FROM config_kv WHERE key = ?", key);
          else {
            db.run(
              "INSERT INTO config_kv (key, value, updated_at, updated_by) VALUES (?, ?, ?, ?) " +
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
              key,
              value,
              now,
              uid,
            );
          }
        }
      });
    },
  };
}
