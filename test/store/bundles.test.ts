// Bundles of a home whose kernel named them for everyone: each keeps its holders.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KernelDb } from "../../src/store/kernel/db.ts";
import { agentRows } from "../../src/store/kernel/people/agents.ts";
import { bundleRows } from "../../src/store/kernel/people/bundles.ts";
import { projectRows } from "../../src/store/kernel/people/projects.ts";
import { migrate } from "../../src/store/migrate.ts";
import { KERNEL_SCHEMA } from "../../src/store/migrations/kernel.ts";
import { Db } from "../../src/store/open.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gsv-bundles-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const SAM = 1000;
const PER_ACCOUNT = KERNEL_SCHEMA.migrations.findIndex(({ name }) => name === "names of bundles are per account");

test("the bundles of a home with global names stay with their account, agents and projects", async () => {
  const db = new Db(join(directory, "kernel.db"), { mode: "create" });
  migrate(db, { ...KERNEL_SCHEMA, migrations: KERNEL_SCHEMA.migrations.slice(0, PER_ACCOUNT) }, { now: 1 });
  for (const statement of [
    `INSERT INTO skill_bundles (id, owner_uid, prompt_additions, created_at, updated_at) VALUES ('writer', ${SAM}, 'mine', 1, 1)`,
    `INSERT INTO agents (id, uid, owner_uid, created_at, updated_at) VALUES ('ada', 1002, ${SAM}, 1, 1)`,
    "INSERT INTO agent_skills VALUES ('ada', 'writer', 0), ('ada', 'coder', 1)",
    `INSERT INTO projects (id, owner_uid, name, created_at, updated_at) VALUES ('p', ${SAM}, 'site', 1, 1)`,
    "INSERT INTO project_skills VALUES ('p', 'writer', 0)",
  ])
    db.run(statement);
  migrate(db, KERNEL_SCHEMA, { now: 2 });
  const kernel = new KernelDb(db);
  const bundles = bundleRows(kernel);
  expect(await bundles.named(SAM, ["writer"])).toMatchObject([{ name: "writer", promptAdditions: "mine" }]);
  expect(await bundles.named(2000, ["writer"])).toEqual([]);
  expect((await agentRows(kernel).byUid(1002)).bundles).toEqual(["writer", "coder"]);
  expect((await bundles.ofAgent(1002)).map(({ name }) => name)).toEqual(["writer", "coder"]);
  expect((await projectRows(kernel).get("p"))?.bundles).toEqual(["writer"]);
  db.close();
});
