// What a check is and what it finds. A check changes nothing. A finding may carry a repair, which runs only on request. Texts are one line;
// `fix` is a command or an instruction.

import { messageOf, SysError } from "../abi/errno.ts";
import type { Patient } from "./patient.ts";

export type Level = "ok" | "notice" | "problem";

export interface CheckResult {
  readonly level: Level;
  readonly what: string;
  readonly fix?: string;
  /** Repairs it and returns what was done. Must not lose any data of the user. */
  readonly repair?: () => Promise<string>;
}

export type Depth = "quick" | "full";

export interface Check {
  readonly name: string;
  /** Skipped if there is no home. */
  readonly needsHome: boolean;
  look(patient: Patient, depth: Depth): readonly CheckResult[] | Promise<readonly CheckResult[]>;
}

type More = Pick<CheckResult, "fix" | "repair">;

export function ok(what: string): CheckResult {
  return { level: "ok", what };
}

export function notice(what: string, more: More = {}): CheckResult {
  return { level: "notice", what, ...more };
}

export function problem(what: string, more: More = {}): CheckResult {
  return { level: "problem", what, ...more };
}

/** The problem that an error reports, with its hints as the fix. */
export function faultFound(error: unknown): CheckResult {
  const fix = error instanceof SysError ? error.hints.join("; ") : "";
  return problem(faultLine(error), fix === "" ? {} : { fix });
}

/** null if a database is unreadable, which the check of databases reports. */
export function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export function some(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function faultLine(error: unknown): string {
  return messageOf(error).replaceAll("\n", " ");
}
