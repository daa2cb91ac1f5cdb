// Skill bundles: tools and prompt additions. The presets come from a migration; other names belong to one account each.

import type { Bundle } from "../../../abi/process/agent.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";

export interface BundleRows {
  /** Those of the account and the presets. Presets first, then by name. */
  list(ownerUid: number): Promise<readonly Bundle[]>;
  /** Those of the account and the presets, in the given order, without unknown names. */
  named(ownerUid: number, names: readonly string[]): Promise<readonly Bundle[]>;
  ofAgent(uid: number): Promise<readonly Bundle[]>;
  ofProject(id: string): Promise<readonly Bundle[]>;
  /** False if the account has a bundle of this name, or a preset has it. */
  create(bundle: Bundle & { readonly ownerUid: number }, now: number): Promise<boolean>;
  change(
    bundle: BundleKey,
    change: Partial<Pick<Bundle, "description" | "tools" | "promptAdditions">>,
    now: number,
  ): Promise<void>;
  /** Also removes it from agents and projects. */
  remove(bundle: BundleKey): Promise<void>;
}

type BundleKey = Pick<Bundle, "name" | "ownerUid">;

type Columns = {
  readonly id: string;
  readonly owner_uid: number | null;
  readonly description: string;
  readonly tools: string;
  readonly prompt_additions: string;
  readonly preset: number;
};

const COLUMNS = "b.id, b.owner_uid, b.description, b.tools, b.prompt_additions, b.preset";
const ALL = `SELECT ${COLUMNS} FROM skill_bundles b`;
/** Names contain no slash. */
const idOf = ({ name, ownerUid }: BundleKey) => (ownerUid === null ? name : `${ownerUid}/${name}`);

export function bundleRows(kernel: KernelDb): BundleRows {
  const { db } = kernel;
  const insert = (bundle: Bundle, now: number) =>
    db.run(
      `INSERT INTO skill_bundles (id, owner_uid, description, tools, prompt_additions, preset, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT DO NOTHING`,
      idOf(bundle),
      bundle.ownerUid,
      bundle.description,
      JSON.stringify(bundle.tools),
      bundle.promptAdditions,
      bundle.preset ? 1 : 0,
      now,
    );
  return {
    list: async (ownerUid) =>
      db
        .all<Columns>(`${ALL} WHERE owner_uid IS NULL OR owner_uid = ? ORDER BY preset DESC, id`, ownerUid)
        .map(toBundle),
    async named(ownerUid, names) {
      const found = new Map<string, Bundle>();
      for (const name of names) {
        const row = db.get<Columns>(`${ALL} WHERE id = ?`, bundleId(db, ownerUid, name));
        if (row !== null) found.set(name, toBundle(row));
      }
      return [...found.values()];
    },
    ofAgent: async (uid) =>
      db
        .all<Columns>(
          `SELECT ${COLUMNS} FROM agents a JOIN agent_skills s ON s.agent_id = a.id JOIN skill_bundles b ON b.id = s.bundle_id
           WHERE a.uid = ? ORDER BY s.sort_order`,
          uid,
        )
        .map(toBundle),
    ofProject: async (id) =>
      db
        .all<Columns>(
          `SELECT ${COLUMNS} FROM project_skills s JOIN skill_bundles b ON b.id = s.bundle_id
           WHERE s.project_id = ? ORDER BY s.sort_order`,
          id,
        )
        .map(toBundle),
    async create(bundle, now) {
      return kernel.write("full", () => {
        const isPreset = bundleId(db, bundle.ownerUid, bundle.name) === bundle.name;
        return !(isPreset && db.get(`${ALL} WHERE id = ?`, bundle.name) !== null) && insert(bundle, now) > 0;
      });
    },
    async change(bundle, { description, tools, promptAdditions }, now) {
      kernel.write("full", () =>
        db.run(
          `UPDATE skill_bundles SET description = coalesce(?2, description), tools = coalesce(?3, tools),
           prompt_additions = coalesce(?4, prompt_additions), updated_at = ?5 WHERE id = ?1`,
          idOf(bundle),
          description ?? null,
          tools === undefined ? null : JSON.stringify(tools),
          promptAdditions ?? null,
          now,
        ),
      );
    },
    async remove(bundle) {
      kernel.write("full", () => db.run("DELETE FROM skill_bundles WHERE id = ?", idOf(bundle)));
    },
  };
}

/** The id of the account's bundle of this name, else of the preset. */
export function bundleId(db: Db, ownerUid: number, name: string): string {
  const own = idOf({ name, ownerUid });
  return db.get("SELECT 1 FROM skill_bundles WHERE id = ?", own) === null ? name : own;
}

export function bundleName(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}

export function forgetBundles(tx: Db, ownerUid: number): void {
  tx.run("DELETE FROM skill_bundles WHERE owner_uid = ?", ownerUid);
}

function toBundle(row: Columns): Bundle {
  const { id, owner_uid: ownerUid, description, prompt_additions: promptAdditions } = row;
  return {
    name: bundleName(id),
    ownerUid,
    description,
    promptAdditions,
    tools: JSON.parse(row.tools) as string[],
    preset: row.preset === 1,
  };
}
