// Views that have the whole screen, and lists above the line.

import type { Live } from "../../commands/proc/process-table.ts";
import type { Traced } from "../../commands/proc/trace-table.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending.ts";

export type View = Top | Strace | Pager;

export const SORTS = ["age", "state", "tok/s", "cost", "context", "pid"] as const;

export interface Top {
  readonly kind: "top";
  readonly processes: readonly ProcessInfo[];
  /** The account's budget of the day, if it has one. */
  readonly day: BudgetInfo | null;
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
  /** The order at the last key, kept for a moment: a row that moves away cannot be chosen. */
  readonly held: { readonly pids: readonly string[]; readonly until: number };
}

/** A look at a process, after the last time it did something. */
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
  /** Which calls, as `-e` has it. */
  readonly expression: string;
  readonly info: ProcessInfo | null;
  readonly calls: readonly Traced[];
  /** The number of the selected call; null follows the newest. */
  readonly selected: number | null;
  readonly filter: string;
  readonly filtering: boolean;
  readonly failedOnly: boolean;
  /** The selected call is shown in full. */
  readonly open: boolean;
  /** Why no more calls come. */
  readonly over: string | null;
  readonly below: View | null;
}

export interface Pager {
  readonly kind: "pager";
  readonly title: string;
  readonly lines: readonly string[];
  readonly top: Place;
  readonly search: PagerSearch | null;
  /** The search that is being typed, and its direction. */
  readonly typing: { readonly words: string; readonly back: boolean } | null;
  /** The view to return to. */
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
  /** The line of the match; null if nothing matches. */
  readonly at: number | null;
}

export type PickerKind = "process" | "model" | "theme" | "approval";

/** A short list above the line. */
export interface Picker {
  readonly kind: PickerKind;
  /** null until they are loaded. */
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
  /** Its state, in a letter or two. */
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
