// What a check is and what it finds. A check looks and changes nothing; a finding may carry the way to mend it, which is taken only when
// somebody asks. Texts are one line; `fix` is a command to type, or what else to do.

import { messageOf } from "../abi/errno.ts";
import type { Patient } from "./patient.ts";

export type Level = "ok" | "notice" | "problem";

export interface Found {
  readonly level: Level;
  readonly what: string;
  readonly fix?: string;
  /** Mends it and says what was done. Safe: nothing that anybody wrote is lost by it. */
  readonly repair?: () => Promise<string>;
}

/** What is found out quickly, or everything there is to find. */
export type Depth = "quick" | "full";

export interface Check {
  readonly name: string;
  /** Looks into the home, so there has to be one. */
  readonly needsHome: boolean;
  look(patient: Patient, depth: Depth): readonly Found[] | Promise<readonly Found[]>;
}

type More = Pick<Found, "fix" | "repair">;

export function ok(what: string): Found {
  return { level: "ok", what };
}

export function notice(what: string, more: More = {}): Found {
  return { level: "notice", what, ...more };
}

export function problem(what: string, more: More = {}): Found {
  return { level: "problem", what, ...more };
}

/** A few names, and how many more there are. */
export function some(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Findings are one line each, whatever the message holds. */
export function faultLine(error: unknown): string {
  return messageOf(error).replaceAll("\n", " ");
}
