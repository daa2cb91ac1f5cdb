// The failure of a model as an entry of the transcript: why a run is paused or retries. Pure.

import type { ProcessInfo, WaitsFor } from "../../src/abi/process/process.ts";
import type { Entry } from "../state/effect.ts";

/** One entry or none. */
export function failuresOf({ state, waitsFor }: Pick<ProcessInfo, "state" | "waitsFor">): readonly Entry[] {
  if (waitsFor?.kind === "model") return [{ kind: "retry", reason: waitsFor.reason }];
  const isPaused = state === "paused" && (waitsFor?.kind === "credential" || waitsFor?.kind === "outage");
  return isPaused ? [{ kind: "failure", reason: waitsFor.reason }] : [];
}

export function reasonOf(waitsFor: WaitsFor | null): string | null {
  return waitsFor !== null && "reason" in waitsFor ? waitsFor.reason : null;
}
