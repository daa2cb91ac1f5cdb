// Deletes expired rows, and data that the retention settings limit: at the start of a kernel, then every hour.

import type { RetentionSettings } from "../../abi/backup.ts";
import type { Config } from "../../abi/config/config.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import { CoreFiles, type CoreKeeping } from "../files/crash-files.ts";
import { retain } from "./retention.ts";

export interface SweepPorts {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
  readonly search: { forgetGone(): Promise<void> };
  readonly configNow: () => Config;
  /** Replaces the retention settings. */
  readonly retention?: (() => Promise<RetentionSettings>) | undefined;
  readonly crashDir: string;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export async function sweep(kernel: KernelStore, now: number): Promise<void> {
  await kernel.routes.sweep(now);
  await kernel.requests.sweep(now);
  await kernel.approvals.sweep(now);
  await kernel.audit.sweep();
}

const SWEEP_MS = 60 * 60 * 1000;
/** The first sweep must not delay the call that started the kernel, and most kernels do not live for an hour. */
const FIRST_SWEEP_MS = 1000;

/** Returns a function that stops the sweeps; it resolves when none runs. */
export function keepSwept(ports: SweepPorts): () => Promise<void> {
  const { kernel, processes, objects, search, configNow, clock } = ports;
  let isOver = false;
  let sweeping = Promise.resolve();
  const round = async (first: boolean) => {
    const now = clock.now();
    if (!first) await sweep(kernel, now);
    const settings = (await ports.retention?.()) ?? retentionOf(configNow());
    new CoreFiles(ports.crashDir).sweep(crashKeepingOf(configNow()), now);
    await retain({ kernel, processes, objects, settings, now, isOver: () => isOver });
    if (!isOver) await search.forgetGone();
  };
  const arm = (ms: number, first: boolean) =>
    clock.after(ms, () => {
      sweeping = round(first).catch(ports.onFault);
      cancel = arm(SWEEP_MS, false);
    });
  let cancel = arm(FIRST_SWEEP_MS, true);
  return async () => {
    isOver = true;
    cancel();
    await sweeping;
  };
}

function retentionOf(config: Config): RetentionSettings {
  const { "retention.archivesDays": archivesDays, "retention.auditDays": auditDays } = config;
  const ended = config["retention.endedDays"];
  return { archivesDays, auditDays, runsDays: ended, syscallLogDays: ended };
}

export function crashKeepingOf(config: Config): CoreKeeping {
  return { most: config["retention.crashes"], days: config["retention.crashDays"] };
}
