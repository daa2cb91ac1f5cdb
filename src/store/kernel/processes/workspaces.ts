// Workspaces and their owners.

import type { Db } from "../../open.ts";
import type { KernelDb, ListCursor } from "../db.ts";

export interface WorkspaceRow {
  readonly id: string;
  readonly ownerUid: number;
  readonly label: string | null;
  /** Real path of a host directory; null for a tree in gsv's home. */
  readonly directory: string | null;
  readonly state: "active" | "archived";
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WorkspaceRows {
  get(id: string): Promise<WorkspaceRow | null>;
  /** Oldest first. */
  list(query: {
    readonly ownerUid?: number;
    readonly archived: boolean;
    readonly after?: ListCursor;
    readonly limit: number;
  }): Promise<readonly WorkspaceRow[]>;
  count(ownerUid: number): Promise<number>;
  /** The workspace of a directory, archived or not. */
  at(ownerUid: number, directory: string): Promise<WorkspaceRow | null>;
  /** Those of host directories that are the path or a parent of it, the longest first. `ownerUid`: null for all accounts. */
  around(ownerUid: number | null, path: string): Promise<readonly WorkspaceRow[]>;
  create(workspace: WorkspaceRow): Promise<void>;
  change(
    id: string,
    change: Pick<WorkspaceRow, "updatedAt"> & Partial<Pick<WorkspaceRow, "state" | "label">>,
  ): Promise<void>;
}

type Columns = { readonly [K in keyof WorkspaceRow]: WorkspaceRow[K] };

const COLUMNS =
  "workspace_id AS id, owner_uid AS ownerUid, label, directory, state, created_at AS createdAt, updated_at AS updatedAt";

export function workspaceRows(kernel: KernelDb): WorkspaceRows {
  const { db } = kernel;
  const rows = (where: string, ...values: (string | number | null)[]) =>
    db.all<Columns>(`SELECT ${COLUMNS} FROM workspaces ${where}`, ...values);

  return {
    get: async (id) => rows("WHERE workspace_id = ?", id)[0] ?? null,
    list: async ({ ownerUid, archived, after, limit }) =>
      rows(
        `WHERE (?1 IS NULL OR owner_uid = ?1) AND (?2 = 1 OR state = 'active') AND (created_at, workspace_id) > (?3, ?4)
         ORDER BY created_at, workspace_id LIMIT ?5`,
        ownerUid ?? null,
        archived ? 1 : 0,
        after?.createdAt ?? -1,
        after?.id ?? "",
        limit,
      ),
    count: async (ownerUid) =>
      db.get<{ n: number }>("SELECT count(*) AS n FROM workspaces WHERE owner_uid = ?", ownerUid)?.n ?? 0,
    at: async (ownerUid, directory) => rows("WHERE owner_uid = ? AND directory = ?", ownerUid, directory)[0] ?? null,
    around: async (ownerUid, path) =>
      rows(
        `WHERE directory IS NOT NULL AND (?1 IS NULL OR owner_uid = ?1)
           AND (directory = ?2 OR substr(?2, 1, length(directory) + 1) = directory || '/')
         ORDER BY length(directory) DESC, created_at, workspace_id`,
        ownerUid,
        path,
      ),
    async create(workspace) {
      kernel.write("full", () => putWorkspace(db, workspace));
    },
    async change(id, { updatedAt, state, label }) {
      kernel.write("full", () =>
        db.run(
          "UPDATE workspaces SET updated_at = ?, state = coalesce(?, state), label = coalesce(?, label) WHERE workspace_id = ?",
          updatedAt,
          state ?? null,
          label ?? null,
          id,
        ),
      );
    },
  };
}

/** Within a transaction. */
export function putWorkspace(db: Db, { id, ownerUid, label, directory, state, createdAt, updatedAt }: WorkspaceRow) {
  db.insert("workspaces", {
    workspace_id: id,
    owner_uid: ownerUid,
    label,
    directory,
    state,
    created_at: createdAt,
    updated_at: updatedAt,
  });
}
