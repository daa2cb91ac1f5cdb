// The name of a process for people: its label, with the short pid if another process has the same label. Without a label, the pid.

import { isInit, isPid } from "../ids.ts";

export interface NamedProcess {
  readonly pid: string;
  readonly label: string | null;
}

/** The label of an init only repeats its owner. A label that looks like a pid is no name. */
export function processName(process: NamedProcess, others: readonly NamedProcess[] = []): string {
  return named(process, others, (label) => label);
}

/** Within a sentence: a label of several words has quotes, so that it cannot pass for the sentence. */
export function quotedName(process: NamedProcess, others: readonly NamedProcess[] = []): string {
  return named(process, others, (label) => (/\s/.test(label) ? `"${label}"` : label));
}

function named(process: NamedProcess, others: readonly NamedProcess[], written: (label: string) => string): string {
  const { pid } = process;
  const label = labelOf(process);
  if (label === "" || isInit(pid) || isPid(label)) return pid;
  const isShared = others.some((other) => other.pid !== pid && labelOf(other).toLowerCase() === label.toLowerCase());
  return isShared ? `${written(label)} ${pid.slice(pid.indexOf(":") + 1)}` : written(label);
}

function labelOf({ label }: NamedProcess): string {
  return label?.trim() ?? "";
}
