// Skill bundles: tools and prompt additions. The presets come from a migration.

import type { Bundle } from "../../../abi/process/agent.ts";
import type { KernelDb } from "../db.ts";

export interface BundleRows {
  /** Presets first, then by name. */
  list(): Promise<readonly Bundle[]>;
  /** In the given order, without unknown names. */
  named(names: readonly string[]): Promise<readonly Bundle[]>;
  /** False if the name is taken. */
  create(bundle: Bundle, now: number): Promise<boolean>;
  change(
    name: string,
    change: Partial<Pick<Bundle, "description" | "tools" | "promptAdditions">>,
    now: number,
  ): Promise<void>;
  /** Also removes it from agents and projects. */
  remove(name: string): Promise<void>;
}

type Columns = {
  readonly id: string;
  readonly owner_uid: number | null;
  readonly description: string;
  readonly tools: string;
  readonly prompt_additions: string;
  readonly preset: number;
};

const ALL = "SELECT id, owner_uid, description, tools, prompt_additions, preset FROM skill_bundles";

export function bundleRows(kernel: KernelDb): BundleRows {
  const { db } = kernel;
  const insert = (bundle: Bundle, now: number) =>
    db.run(
      `INSERT INTO skill_bundles (id, owner_uid, description, tools, prompt_additions, preset, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT DO NOTHING`,
      bundle.name,
      bundle.ownerUid,
      bundle.description,
      JSON.stringify(bundle.tools),
      bundle.promptAdditions,
      bundle.preset ? 1 : 0,
      now,
    );
  return {
    list: async () => db.all<Columns>(`${ALL} ORDER BY preset DESC, id`).map(toBundle),
    async named(names) {
      const found = new Map<string, Bundle>();
      for (const name of names) {
        const row = db.get<Columns>(`${ALL} WHERE id = ?`, name);
        if (row !== null) found.set(name, toBundle(row));
      }
      return [...found.values()];
    },
    create: async (bundle, now) => kernel.write("full", () => insert(bundle, now) > 0),
    async change(name, { description, tools, promptAdditions }, now) {
      kernel.write("full", () =>
        db.run(
          `UPDATE skill_bundles SET description = coalesce(?2, description), tools = coalesce(?3, tools),
           prompt_additions = coalesce(?4, prompt_additions), updated_at = ?5 WHERE id = ?1`,
          name,
          description ?? null,
          tools === undefined ? null : JSON.stringify(tools),
          promptAdditions ?? null,
          now,
        ),
      );
    },
    async remove(name) {
      kernel.write("full", () => db.run("DELETE FROM skill_bundles WHERE id = ?", name));
    },
  };
}

function toBundle(row: Columns): Bundle {
  const { id: name, owner_uid: ownerUid, description, prompt_additions: promptAdditions } = row;
  return {
    name,
    ownerUid,
    description,
    promptAdditions,
    tools: JSON.parse(row.tools) as string[],
    preset: row.preset === 1,
  };
}
