// What a run leaves behind that ended in an error: one record, bounded and without secrets, for whoever wants to know why. Its name is the
// process and the instant; a record of another version is told of and not read.

import type { Usage } from "./process.ts";

export const CORE_VERSION = 1;

/** The name of a core: the process, and when it failed. */
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
  /** Of a fault inside gsv, where it happened. */
  readonly fault: string | null;
  /** The last ones of the history. */
  readonly messages: readonly CoreMessage[];
  /** Tool calls that had no result when the run ended. */
  readonly inFlight: readonly { readonly id: string; readonly tool: string; readonly args: unknown }[];
  /** The last rows of the log of calls. */
  readonly calls: readonly CoreCall[];
  readonly versions: { readonly gsv: string; readonly commit: string; readonly bun: string; readonly system: string };
}

export function coreName(pid: string, at: number): string {
  return `${pid}-${new Date(at).toISOString().replace(/[-:.]/g, "")}.json`;
}

/** When what is named so failed; null for what is no core. */
export function coreInstant(name: string): number | null {
  if (!CORE_NAME.test(name)) return null;
  const [, y, mo, d, h, mi, s, ms] = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.json$/.exec(name) ?? [];
  const at = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`);
  return Number.isNaN(at) ? null : at;
}
