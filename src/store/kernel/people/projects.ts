// Projects: a workspace with instructions and bundles. A process keeps the id; a deleted project has no effect.

import type { Project } from "../../../abi/process/agent.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { bundleId, bundleName } from "./bundles.ts";

export type ProjectChange = Partial<Pick<Project, "workspace" | "instructions" | "bundles">>;

export interface ProjectRows {
  list(ownerUid: number): Promise<readonly Project[]>;
  byName(ownerUid: number, name: string): Promise<Project | null>;
  get(id: string): Promise<Project | null>;
  /** False if the owner has a project of that name. */
  create(project: Project, now: number): Promise<boolean>;
  change(id: string, change: ProjectChange, now: number): Promise<void>;
  remove(id: string): Promise<void>;
}

type Columns = { readonly [K in Exclude<keyof Project, "bundles">]: Project[K] };

const ALL = "SELECT id, owner_uid AS ownerUid, name, working_dir AS workspace, instructions FROM projects";

export function projectRows(kernel: KernelDb): ProjectRows {
  const { db } = kernel;
  const one = (where: string, ...values: (string | number)[]) => {
    const row = db.get<Columns>(`${ALL} WHERE ${where}`, ...values);
    return row === null ? null : toProject(db, row);
  };
  return {
    list: async (ownerUid) =>
      db.all<Columns>(`${ALL} WHERE owner_uid = ? ORDER BY name`, ownerUid).map((row) => toProject(db, row)),
    byName: async (ownerUid, name) => one("owner_uid = ? AND name = ?", ownerUid, name),
    get: async (id) => one("id = ?", id),
    async create({ id, ownerUid, name, workspace, instructions, bundles }, now) {
      return kernel.write("full", (tx) => {
        const added = tx.run(
          `INSERT INTO projects (id, owner_uid, name, working_dir, instructions, created_at, updated_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING`,
          id,
          ownerUid,
          name,
          workspace,
          instructions,
          now,
        );
        if (added > 0) putBundles(tx, { id, ownerUid }, bundles);
        return added > 0;
      });
    },
    async change(id, { workspace, instructions, bundles }, now) {
      kernel.write("full", (tx) => {
        tx.run(
          `UPDATE projects SET working_dir = coalesce(?2, working_dir), instructions = coalesce(?3, instructions), updated_at = ?4
           WHERE id = ?1`,
          id,
          workspace ?? null,
          instructions ?? null,
          now,
        );
        const project = one("id = ?", id);
        if (bundles !== undefined && project !== null) putBundles(tx, project, bundles);
      });
    },
    async remove(id) {
      kernel.write("full", () => db.run("DELETE FROM projects WHERE id = ?", id));
    },
  };
}

export function forgetProjects(tx: Db, ownerUid: number): void {
  tx.run("DELETE FROM projects WHERE owner_uid = ?", ownerUid);
}

function putBundles(tx: Db, { id, ownerUid }: Pick<Project, "id" | "ownerUid">, bundles: readonly string[]): void {
  tx.run("DELETE FROM project_skills WHERE project_id = ?", id);
  for (const [order, bundle] of bundles.entries())
    tx.run(
      "INSERT INTO project_skills (project_id, bundle_id, sort_order) VALUES (?, ?, ?)",
      id,
      bundleId(tx, ownerUid, bundle),
      order,
    );
}

function toProject(db: Db, row: Columns): Project {
  const bundles = db
    .all<{ bundle_id: string }>("SELECT bundle_id FROM project_skills WHERE project_id = ? ORDER BY sort_order", row.id)
    .map((each) => bundleName(each.bundle_id));
  return { ...row, bundles };
}
