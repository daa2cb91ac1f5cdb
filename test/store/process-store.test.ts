// The contract of the process store, on SQLite and on the plain model that judges the property tests; and what only a file can show.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/limits.ts";
import { processStoreContract } from "../contract/process-store.ts";
import { ModelDisk, ModelStore } from "../support/model-store.ts";
import { DONE, Subject } from "../support/process-subject.ts";
import { SqliteEngine } from "../support/sqlite-engine.ts";

processStoreContract("SQLite", () => new SqliteEngine());

processStoreContract("the model", () => {
  const disk = new ModelDisk();
  return { open: (kernelGeneration) => new ModelStore(disk, kernelGeneration), dispose: async () => {} };
});
