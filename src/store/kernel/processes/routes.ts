// Which client started which run, so that the next kernel can notify that client.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { KernelDb } from "../db.ts";

export interface RouteRows {
  add(route: {
    readonly runId: string;
    readonly uid: number;
    readonly connectionId: string;
    readonly pid: string;
    readonly now: number;
  }): Promise<void>;
  all(): Promise<readonly { readonly runId: string; readonly connectionId: string }[]>;
  sweep(now: number): Promise<void>;
}

export function routeRows(kernel: KernelDb): RouteRows {
  const { db } = kernel;
  return {
    async add({ runId, uid, connectionId, pid, now }) {
      kernel.write("normal", () =>
        db.insert(
          "run_routes",
          {
            run_id: runId,
            route_kind: "client",
            uid,
            connection_id: connectionId,
            process_id: pid,
            created_at: now,
            expires_at: now + LIMITS.runRoutesKeptMs,
          },
          "REPLACE",
        ),
      );
    },
    async all() {
      return db.all<{ runId: string; connectionId: string }>(
        "SELECT run_id AS runId, connection_id AS connectionId FROM run_routes",
      );
    },
    async sweep(now) {
      kernel.write("normal", () => db.run("DELETE FROM run_routes WHERE expires_at < ?", now));
    },
  };
}
