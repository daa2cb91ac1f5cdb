// Waiting between two requests: for a turn in the lane of the key, and for an instant that a provider named. If the kernel shuts down, the
// run stops and the next claim continues it.

import type { Retrying } from "../../abi/process/process.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { LedgerPorts } from "../life/ledger.ts";
import type { Stopwatch } from "../limits/costs.ts";
import type { CurrentRun } from "./current-run.ts";
import type { Lanes } from "./lanes.ts";

export interface WaitPorts extends LedgerPorts {
  /** Order of requests with the same key. */
  readonly lanes: Lanes;
  readonly niceOf: (pid: string) => Promise<number>;
  /** A client follows the process. */
  readonly watched: (pid: string) => boolean;
  readonly boundsOf: (row: ProcessRow, runId: string) => Promise<{ readonly parallel: number }>;
}

type Waits = CurrentRun & { readonly stopwatch: Stopwatch; readonly pauses: number };

const PARKED = "rate limit of the same key, met by another process";

/** Short sleeps notice a changed clock and a suspended machine. */
const LOOK_MS = 30_000;

/** Returns the function that leaves the lane; null if the run was aborted or asked to leave. Without a key there is no lane. */
export async function turnFor(ports: WaitPorts, asking: Waits, model: Model): Promise<(() => void) | null> {
  const key = laneOf(model);
  const { row, run, signal, leaving } = asking;
  if (key === null) return () => {};
  const until = ports.lanes.pausedUntil(key);
  if (until > ports.clock.now() && !(await parked(ports, asking, { model: model.name, until }))) return null;
  const { parallel: most } = await ports.boundsOf(row, run.runId);
  const [nice, watched] = [await ports.niceOf(row.pid), ports.watched(row.pid)];
  const leave = await ports.lanes.enter(key, { nice, watched, most, signal: AbortSignal.any([signal, leaving]) });
  asking.stopwatch.skip();
  if (leave === null && !signal.aborted) await stepAside(ports, asking);
  return leave;
}

/** Providers limit requests by key and model. */
export function laneOf({ provider, keyMark, model }: Model): string | null {
  return keyMark === null ? null : `${provider.name} ${keyMark} ${model}`;
}

/** A rate limit that another process met also holds for this one, and is stored as if it had met it. */
async function parked(
  ports: WaitPorts,
  asking: Waits,
  { model, until }: { readonly model: string; readonly until: number },
): Promise<boolean> {
  const waitsFor = { kind: "model", model, class: "throttle", reason: PARKED, until } as const;
  const retrying = { model, failed: 0, pauses: asking.pauses };
  if (!(await keep(ports, asking, { ...retrying, waitsFor }))) return false;
  if (!(await waited(ports, asking, until))) return false;
  return await keep(ports, asking, { ...retrying, waitsFor: null });
}

/** False if the run is fenced. */
export async function keep(
  ports: WaitPorts,
  asking: CurrentRun,
  retrying: Retrying,
  isPaused = false,
): Promise<boolean> {
  const { row, run, signal } = asking;
  const now = ports.clock.now();
  const kept = await ports.store.retry(row.pid, run.epoch, { runId: run.runId, retrying, isPaused, now });
  if (kept.ok) await ports.ledger.publish(row);
  return kept.ok && !signal.aborted;
}

/** False if aborted or asked to leave. */
export async function waited({ store, ledger, clock }: WaitPorts, asking: Waits, until: number): Promise<boolean> {
  const { signal, leaving } = asking;
  const either = AbortSignal.any([signal, leaving]);
  while (!either.aborted && clock.now() < until) await clock.sleep(Math.min(LOOK_MS, until - clock.now()), either);
  asking.stopwatch.skip();
  if (signal.aborted) return false;
  if (!leaving.aborted) return true;
  await stepAside({ store, ledger, clock }, asking);
  return false;
}

/** The next claim continues the run. */
async function stepAside(
  { store, ledger, clock }: Pick<WaitPorts, "store" | "ledger" | "clock">,
  { row, run }: CurrentRun,
): Promise<void> {
  await store.boundary(row.pid, run.epoch, { runId: run.runId, enter: false, now: clock.now() });
  await ledger.publish(row);
}
