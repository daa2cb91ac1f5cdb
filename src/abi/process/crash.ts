// The record of a run that ended in an error, limited in size and without secrets. Its name is the
// process and the instant. Records of another version are listed but not read.

import type { Usage } from "./process.ts";

export const CORE_VERSION = 1;

/** `PID-INSTANT.json`. */
export const CORE_NAME = /^(?:init|task):[a-z0-9]{1,20}-\d{8}T\d{9}Z\.json$/;

export interface CoreMessage {
  readonly seq: number;
  readonly at: number;
  readonly role: string;
  readonly content: unknown;
}

export interface CoreCall {
  readonly at: number;
  readonly call: string;
  readonly args: string;
  readonly outcome: string;
  readonly ms: number;
}

export interface CrashCore {
  readonly v: typeof CORE_VERSION;
  readonly at: number;
  readonly pid: string;
  readonly label: string | null;
  readonly owner: string;
  readonly runAs: string;
  readonly profile: string;
  readonly parent: string | null;
  readonly run: {
    readonly id: string;
    /** The class of the error, as `model.protocol`, `kernel.deaths` or `fault`. */
    readonly reason: string;
    readonly error: string;
    readonly model: string | null;
    readonly usage: Usage;
  };
  /** The stack of an internal error. */
  readonly fault: string | null;
  /** The last messages of the history. */
  readonly messages: readonly CoreMessage[];
  /** Tool calls without a result. */
  readonly inFlight: readonly { readonly id: string; readonly tool: string; readonly args: unknown }[];
  /** The last rows of the call log. */
  readonly calls: readonly CoreCall[];
  readonly versions: { readonly gsv: string; readonly commit: string; readonly bun: string; readonly system: string };
}

export function coreName(pid: string, at: number): string {
  return `${pid}-${new Date(at).toISOString().replace(/[-:.]/g, "")}.json`;
}

/** The instant in a core's name; null for other names. */
export function coreInstant(name: string): number | null {
  if (!CORE_NAME.test(name)) return null;
  const [, y, mo, d, h, mi, s, ms] = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.json$/.exec(name) ?? [];
  const at = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`);
  return Number.isNaN(at) ? null : at;
}
