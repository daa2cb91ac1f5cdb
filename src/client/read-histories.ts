// The history service of the read-only view: process databases opened for reading.

import type { Clock } from "../lib/clock.ts";
import type { HomePaths } from "../paths.ts";
import { historiesService } from "../process/history/histories.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { sqliteProcessStore } from "../store/process/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Histories } from "../syscalls/services.ts";

export interface ReadHistories {
  readonly histories: Histories;
  readonly store: Pick<ProcessStore, "projection" | "close">;
  readonly contextFiles: ProcessStore["contextFiles"];
  readonly contextShape: ProcessStore["contextShape"];
  readonly segments: ProcessStore["segments"];
}

export interface ReadHistoriesOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly kernel: KernelStore;
  readonly kernelGeneration: number;
}

export function readHistories({ paths, clock, kernel, kernelGeneration }: ReadHistoriesOptions): ReadHistories {
  const { procDir: directory, quarantineDir: quarantine } = paths;
  const store = sqliteProcessStore({ directory, quarantine, mode: "read", now: () => clock.now(), kernelGeneration });
  return {
    store,
    contextFiles: (pid) => store.contextFiles(pid),
    contextShape: (pid) => store.contextShape(pid),
    segments: (pid) => store.segments(pid),
    histories: historiesService({ kernel, store, now: () => clock.now() }),
  };
}
