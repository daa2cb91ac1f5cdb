// The outcome and exit status of a chat for every end and every pause. Pure.

import { exitOf, exitOfHold, type RunEnd, type RunStatus, type WaitsFor } from "../../src/abi/process/process.ts";
import type { Answered, WaitResult } from "../../src/syscalls/services.ts";
import type { ChatStatus } from "../events.ts";
import type { ChatResult } from "./view.ts";

export type Ending = Pick<ChatResult, "status" | "exit"> & Partial<ChatResult>;

const SAID: { readonly [status in Exclude<RunStatus, "ok">]: string } = {
  error: "the run failed",
  aborted: "the run was aborted",
  blocked: "the run ended without your answer",
  limit: "the run reached a limit",
  unavailable: "the run could not continue",
};

const HELD: { readonly [kind in WaitsFor["kind"]]: ChatStatus } = {
  approval: "blocked",
  question: "blocked",
  person: "blocked",
  credential: "blocked",
  limit: "limit",
  disk: "unavailable",
  repair: "error",
  model: "unavailable",
  outage: "unavailable",
  restart: "unavailable",
  call: "unavailable",
};

const REASONS: { readonly [reason: string]: string } = {
  "user.abort": "aborted by a person",
  "user.superseded": "replaced by a newer message",
  "process.kill": "the process was killed",
  "process.reset": "the process was reset",
};

export function endingOf(end: Omit<RunEnd, "runId">): Ending {
  const { status, text, error, mergedInto } = end;
  const { costUsd, ...usage } = end.usage;
  return { status, exit: exitOf(end), text, error, mergedInto, usage, costUsd };
}

export function endingOfWait({ status, exit, text, error, usage = null }: WaitResult): Ending {
  const known: RunStatus =
    status in SAID || status === "ok" ? (status as RunStatus) : status === "none" ? "ok" : "aborted";
  if (usage === null) return { status: known, exit, text, error };
  const { costUsd, ...tokens } = usage;
  return { status: known, exit, text, error, usage: tokens, costUsd };
}

/** The message was a command such as /reset: there is no run. */
export function answered({ response: text }: Answered): Ending {
  return { status: "ok", exit: 0, text };
}

export function endingOfPause(waitsFor: WaitsFor, error: string): Ending {
  return { status: HELD[waitsFor.kind], exit: exitOfHold(waitsFor), error };
}

/** No run, or the kernel has left: the exit status tells the kind of failure. */
export function endingOfFailure(exit: number, error: string): Ending {
  const statuses: { readonly [exit: number]: ChatStatus } = { 5: "blocked", 6: "limit", 75: "unavailable" };
  return { status: statuses[exit] ?? "error", exit, error };
}

/** One line about an end without an answer; null for a normal end. */
export function endText(status: RunStatus, why: string | null): string | null {
  if (status === "ok") return null;
  return why === null ? SAID[status] : `${SAID[status]}: ${REASONS[why] ?? why}`;
}

export function resultOf(
  { model, ...about }: Pick<ChatResult, "pid" | "parent" | "run" | "model">,
  { status, exit, ...known }: Ending,
): ChatResult {
  const nothing = { text: null, error: null, model, mergedInto: null, usage: null, costUsd: null };
  return { type: "result", ...about, status, exit, ...nothing, ...known };
}
