// The contract of the process store, on SQLite and on the plain model that judges the property tests.

import { processStoreContract } from "../contract/process-store.ts";
import { ModelDisk, ModelStore } from "../support/model-store.ts";
import { SqliteEngine } from "../support/sqlite-engine.ts";

processStoreContract("SQLite", () => new SqliteEngine());

processStoreContract("the model", () => {
  const disk = new ModelDisk();
  return { open: (kernelGeneration) => new ModelStore(disk, kernelGeneration), dispose: async () => {} };
});
