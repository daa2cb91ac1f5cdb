// Check: a spawn, reset or kill that was begun and not finished. A kernel finishes these by itself when it starts; one that is old is
// stuck.

import { existsSync } from "node:fs";
import type { Registered } from "../../store/inspect.ts";
import { type Check, counted, type Found, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";

/** Packing a very long history takes a while. */
const STUCK_MS = 5 * 60 * 1000;
const BEGUN = { creating: "spawn", killing: "kill" } as const;

export const unfinished: Check = {
  name: "unfinished",
  needsHome: true,
  look(patient) {
    const rows = registered(patient);
    if (rows === null) return [];
    const steps = rows.flatMap((row) => stepOf(patient, row) ?? []);
    const resting = patient.lock.isHeld() ? 0 : rows.filter((row) => row.dirty && row.phase === "live").length;
    const found = steps.map((step) => judged(patient, step));
    if (resting > steps.filter((step) => step.what === "reset").length)
      found.push(
        notice(`${counted(resting, "process was", "processes were")} in the middle of something`, {
          fix: "goes on with the next kernel: gsv kernel start",
        }),
      );
    return found.length > 0 ? found : [ok("no spawn, reset or kill is half done")];
  },
};

interface Step {
  readonly pid: string;
  readonly what: "spawn" | "reset" | "kill";
  /** Null where nothing says when. */
  readonly sinceMs: number | null;
}

function registered({ databases, paths }: Patient): readonly Registered[] | null {
  if (!existsSync(paths.kernelDb)) return null;
  try {
    return databases.registered();
  } catch {
    return null; // told by the check of the databases
  }
}

function stepOf(patient: Patient, row: Registered): Step | null {
  const { pid, phase } = row;
  if (phase === "creating") return { pid, what: BEGUN.creating, sinceMs: row.createdAt };
  if (phase === "live" && !row.dirty) return null;
  const closing = closingOf(patient, pid);
  if (phase === "killing") return { pid, what: BEGUN.killing, sinceMs: closing?.startedAt ?? null };
  return closing === null ? null : { pid, what: closing.reason, sinceMs: closing.startedAt };
}

function closingOf({ databases }: Patient, pid: string) {
  try {
    return databases.processState(pid).closing;
  } catch {
    return null;
  }
}

function judged({ lock, clock }: Patient, { pid, what, sinceMs }: Step): Found {
  if (!lock.isHeld())
    return notice(`the ${what} of ${pid} is half done`, { fix: "the next kernel finishes it: gsv kernel start" });
  const minutes = sinceMs === null ? 0 : Math.floor((clock.now() - sinceMs) / 60_000);
  if (sinceMs === null || clock.now() - sinceMs < STUCK_MS) return ok(`the ${what} of ${pid} is under way`);
  return problem(`the ${what} of ${pid} has been under way for ${minutes} minutes`, {
    fix: "gsv kernel restart takes it up again; log/kernel.log may say why",
  });
}
