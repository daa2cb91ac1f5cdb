// Names of processes in the terminal: the label, with the short pid if another known process has it too. Pure.

import { type NamedProcess, quotedName } from "../../src/abi/process/process-name.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { State } from "./state.ts";

const NAME_COLUMNS = 24;

export function shortName(process: NamedProcess, others: readonly NamedProcess[]): string {
  return quotedName(cut(process), others.map(cut));
}

export function nameIn(
  { process, asking }: State,
  { pid, label = null }: Partial<NamedProcess> & { pid: string },
): string {
  const asks = asking.asks.map((ask) => ({ pid: ask.pid, label: ask.label ?? null }));
  const known = [process, ...asks, ...asking.processes];
  return shortName(
    { pid, label: label ?? known.find((each) => each.pid === pid && each.label !== null)?.label ?? null },
    known,
  );
}

function cut({ pid, label }: NamedProcess): NamedProcess {
  return { pid, label: label === null ? null : cutWidth(label.trim(), NAME_COLUMNS) };
}
