// Names of processes in the terminal: the label, with the short pid if another known process has it too. Pure.

import { type NamedProcess, quotedName } from "../../src/abi/process/process-name.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { State } from "./state.ts";

const LABEL_COLUMNS = { least: 8, most: 24 };
/** A label takes at most a quarter of a row. */
const SHARE = 1 / 4;

export function shortName(process: NamedProcess, others: readonly NamedProcess[], columns?: number): string {
  const { least, most } = LABEL_COLUMNS;
  const room = columns === undefined ? most : Math.max(least, Math.min(most, Math.floor(columns * SHARE)));
  const cut = ({ pid, label }: NamedProcess) => ({ pid, label: label === null ? null : cutWidth(label.trim(), room) });
  return quotedName(cut(process), others.map(cut));
}

interface MaybeLabelled {
  readonly pid: string;
  readonly label?: string | null;
}

export function nameIn({ process, asking }: State, { pid, label = null }: MaybeLabelled, columns?: number): string {
  const asks = asking.asks.map((ask) => ({ pid: ask.pid, label: ask.label ?? null }));
  const known = [process, ...asks, ...asking.processes];
  const same = known.find((each) => each.pid === pid && each.label !== null);
  return shortName({ pid, label: label ?? same?.label ?? null }, known, columns);
}
