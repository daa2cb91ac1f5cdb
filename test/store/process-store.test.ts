// The contract of the process store, on SQLite.

import { processStoreContract } from "../contract/process-store.ts";
import { SqliteEngine } from "../support/sqlite-engine.ts";

processStoreContract("SQLite", () => new SqliteEngine());
