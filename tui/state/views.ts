import type { Live } from "../../commands/proc/process-table.ts";
import type { Traced } from "../../commands/proc/trace-table.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { DueItem } from "../../src/abi/schedule.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending.ts";

export type View = Top | Strace | Pager;

export const SORTS = ["age", "state", "tok/s", "cost", "context", "pid"] as const;

export interface Top {
  readonly kind: "top";
  readonly processes: readonly ProcessInfo[];
  /** The account's budget of the day, if it has one. */
  readonly day: BudgetInfo | null;
  /** What is due next. */
  readonly due: DueItem | null;
  readonly selected: string | null;
  readonly asTree: boolean;
  readonly sort: (typeof SORTS)[number];
  readonly filter: string;
  readonly filtering: boolean;
  /** The pid to kill, while gsv asks whether it should. */
  readonly ending: string | null;
  readonly looks: { readonly [pid: string]: Look };
  /** Recent output, for the rate. */
  readonly written: readonly Written[];
  /** The order at the last key, kept for a moment so that rows do not move away from the selection. */
  readonly keptOrder: { readonly pids: readonly string[]; readonly until: number };
}

/** Model and context of a process, and its last activity at that time. */
export interface Look extends Pick<Live, "model" | "context"> {
  readonly activeAt: number | null;
}

interface Written {
  readonly pid: string;
  readonly at: number;
  readonly chars: number;
}

export interface Strace {
  readonly kind: "strace";
  readonly pid: string;
  readonly expression: string;
  readonly info: ProcessInfo | null;
  readonly calls: readonly Traced[];
  /** The number of the selected call; null follows the newest. */
  readonly selected: number | null;
  readonly filter: string;
  readonly filtering: boolean;
  readonly failedOnly: boolean;
  readonly open: boolean;
  readonly over: string | null;
  readonly below: View | null;
}

export interface Pager {
  readonly kind: "pager";
  readonly title: string;
  readonly lines: readonly string[];
  readonly top: Place;
  readonly search: PagerSearch | null;
  /** The typed search. */
  readonly typing: { readonly words: string; readonly back: boolean } | null;
  readonly below: View | null;
}

/** A row of a line, if the line takes several. */
export interface Place {
  readonly line: number;
  readonly row: number;
}

export interface PagerSearch {
  readonly words: string;
  readonly back: boolean;
  /** null if nothing matches. */
  readonly at: number | null;
}

export type PickerKind = "process" | "model" | "theme" | "approval" | "schedule" | "mcp";

export interface Picker {
  readonly kind: PickerKind;
  readonly items: readonly Item[] | null;
  readonly typed: string;
  readonly selected: string | null;
  /** The pid to kill, while gsv asks whether it should. */
  readonly ending: string | null;
  /** Enter was pressed before the items were loaded. */
  readonly hasty: boolean;
}

export interface Item {
  readonly id: string;
  readonly mark: string;
  readonly text: string;
  readonly note: string;
  readonly isNow: boolean;
}

export interface Overlays {
  readonly view: View | null;
  readonly picker: Picker | null;
  readonly keysShown: boolean;
  /** Goes with the next key; news goes with the next line, or in time. */
  readonly notice: { readonly text: string; readonly until: number; readonly isNews: boolean } | null;
}

export const NO_OVERLAYS: Overlays = { view: null, picker: null, keysShown: false, notice: null };
