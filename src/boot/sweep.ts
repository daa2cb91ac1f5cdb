// Deletes what has expired, when a kernel starts and then every hour: rows that nobody will ask for again, and whatever the retention
// settings name.

import type { Core } from "../boot.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import { retain } from "../kernel/lifetime/retention.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { crashKeepingOf, retentionOf } from "./settings.ts";

/** Rows that nobody will ask for again. */
export async function sweep(kernel: KernelStore, now: number): Promise<void> {
  await kernel.routes.sweep(now);
  await kernel.requests.sweep(now);
  await kernel.approvals.sweep(now);
  await kernel.audit.sweep();
}

const SWEEP_MS = 60 * 60 * 1000;
/** The first goes beside what a kernel is started for, and most kernels live no hour. */
const FIRST_SWEEP_MS = 1000;

/** A kernel may live for weeks. Returns the way to stop, which resolves when nothing is being swept any more. */
export function keepSwept({
  kernel,
  processes,
  objects,
  search,
  configNow,
  machine,
  onFault,
}: Core): () => Promise<void> {
  const { clock, retention } = machine;
  let isOver = false;
  let sweeping = Promise.resolve();
  const round = async (first: boolean) => {
    const now = clock.now();
    if (!first) await sweep(kernel, now);
    const settings = (await retention?.()) ?? retentionOf(configNow());
    new CoreFiles(machine.paths.crashDir).sweep(crashKeepingOf(configNow()), now);
    await retain({ kernel, processes, objects, settings, now, isOver: () => isOver });
    if (!isOver) await search.forgetGone();
  };
  const arm = (ms: number, first: boolean) =>
    clock.after(ms, () => {
      sweeping = round(first).catch(onFault);
      cancel = arm(SWEEP_MS, false);
    });
  let cancel = arm(FIRST_SWEEP_MS, true);
  return async () => {
    isOver = true;
    cancel();
    await sweeping;
  };
}
