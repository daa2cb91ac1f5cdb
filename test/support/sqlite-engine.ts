// The real process store in a directory of its own, removed with everything in it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProcessStoreOptions, sqliteProcessStore } from "../../src/store/process/sqlite.ts";
import type { ProcessStore } from "../../src/store/process/verbs.ts";
import type { Engine } from "./process-subject.ts";

export class SqliteEngine implements Engine {
  readonly directory = mkdtempSync(join(tmpdir(), "gsv-store-"));
  readonly quarantine = join(this.directory, "quarantine");
  private readonly opened: ProcessStore[] = [];
  private ms = 0;

  open(
    kernelGeneration: number,
    mode: "write" | "read" = "write",
    more: Partial<ProcessStoreOptions> = {},
  ): ProcessStore {
    const { directory, quarantine } = this;
    const now = () => ++this.ms;
    const store = sqliteProcessStore({ directory, quarantine, mode, kernelGeneration, now, ...more });
    this.opened.push(store);
    return store;
  }

  path(pid: string): string {
    return join(this.directory, `${pid}.db`);
  }

  async close(): Promise<void> {
    for (const store of this.opened) await store.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
