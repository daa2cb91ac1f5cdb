// The waits of a turn: for its place among those that use the same key, and where it was not answered. What such a one waits for is stored before anybody waits, and whoever waits looks up when the run is
// ended or asked to step aside.

import type { Retrying, WaitsFor } from "../abi/process.ts";
import type { Failure } from "../abi/stream.ts";
import type { Model } from "../kernel/models.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Shift } from "./costs.ts";
import type { Lanes } from "./lanes.ts";
import type { Ledger } from "./ledger.ts";
import type { RunPlace } from "./toolcalls.ts";

interface Ports {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

export interface LanePorts extends Ports {
  /** Who of those that use one key asks next. */
  readonly lanes: Lanes;
  readonly niceOf: (pid: string) => Promise<number>;
  /** Somebody follows what it says. */
  readonly watched: (pid: string) => boolean;
  readonly boundsOf: (row: ProcessRow, runId: string) => Promise<{ readonly parallel: number }>;
}

interface Asked extends RunPlace {
  readonly shift: Shift;
}

/** Sleeps are short enough that a clock that was set, or a machine that slept, is noticed. */
const LOOK_MS = 30_000;

/** The way out of its lane; null when it was aborted or has stepped aside. Who needs no key shares nothing with anybody. */
export async function turnFor(ports: LanePorts, asking: Asked, model: Model): Promise<(() => void) | null> {
  const key = laneOf(model);
  const { row, run, signal, leaving } = asking;
  if (key === null) return () => {};
  const { parallel: most } = await ports.boundsOf(row, run.runId);
  const [nice, watched] = [await ports.niceOf(row.pid), ports.watched(row.pid)];
  const leave = await ports.lanes.enter(key, { nice, watched, most, signal: AbortSignal.any([signal, leaving]) });
  asking.shift.rested();
  if (leave === null && !signal.aborted) await stepAside(ports, asking);
  return leave;
}

export function laneOf({ provider, keyMark }: Model): string | null {
  return keyMark === null ? null : `${provider.name} ${keyMark}`;
}

/** False when the run belongs to somebody else. */
export async function keep(ports: Ports, asking: Asked, retrying: Retrying, held = false): Promise<boolean> {
  const { row, run, signal } = asking;
  const now = ports.clock.now();
  const kept = await ports.store.retry(row.pid, run.epoch, { runId: run.runId, retrying, held, now });
  if (kept.ok) await ports.ledger.publish(row);
  return kept.ok && !signal.aborted;
}

/** False when it was aborted, or asked to step aside: then it has. */
export async function waited({ store, ledger, clock }: Ports, asking: Asked, until: number): Promise<boolean> {
  const { signal, leaving } = asking;
  const either = AbortSignal.any([signal, leaving]);
  while (!either.aborted && clock.now() < until) await clock.sleep(Math.min(LOOK_MS, until - clock.now()), either);
  asking.shift.rested();
  if (signal.aborted) return false;
  if (!leaving.aborted) return true;
  await stepAside({ store, ledger, clock }, asking);
  return false;
}

/** The next claim takes it up. */
export async function stepAside(
  { store, ledger, clock }: Ports,
  { row, run }: Pick<Asked, "row" | "run">,
): Promise<void> {
  await store.boundary(row.pid, run.epoch, { runId: run.runId, enter: false, now: clock.now() });
  await ledger.publish(row);
}

export function nextTry({ clock }: Pick<Ports, "clock">, { name }: Model, failure: Failure, ms: number) {
  const until = clock.now() + ms;
  return { kind: "model", model: name, class: failure.class, reason: failure.message, until } satisfies WaitsFor;
}
