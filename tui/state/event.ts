// What happens to the terminal: keys, signals of the kernel, and results of effects.

import type { Traced } from "../../commands/proc/trace-table.ts";
import type { ProcessInfo, State as ProcessState, WaitsFor } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending-service.ts";
import type { Editing } from "../line/editor.ts";
import type { Past } from "../line/history.ts";
import type { Typed } from "../line/keys.ts";
import type { Ask } from "./asks.ts";
import type { Candidate } from "./line.ts";
import type { Collapsed, Context } from "./process.ts";
import type { State } from "./state.ts";
import type { Item, Look, PickerKind } from "./views.ts";

export type AppEvent =
  | { readonly type: "typed"; readonly typed: Typed; readonly at: number }
  | { readonly type: "signal"; readonly signal: Signal; readonly at: number }
  | { readonly type: "sent"; readonly key: string; readonly runId: string }
  | { readonly type: "answered"; readonly key: string; readonly text: string }
  | { readonly type: "refused"; readonly key: string; readonly message: string; readonly why: string }
  | {
      readonly type: "known";
      readonly state: ProcessState;
      readonly waitsFor: WaitsFor | null;
      readonly model: string | null;
      readonly costUsd?: number;
      readonly collapsed?: readonly Collapsed[];
      /** The run that goes on, and what it waits for. */
      readonly activeRunId?: string | null;
      readonly calls?: State["calls"];
    }
  /** Nothing followed the answer that was pressed then. */
  | { readonly type: "unfollowed"; readonly since: number }
  | { readonly type: "filled"; readonly context: Context | null }
  | { readonly type: "asked"; readonly asks: readonly Ask[] }
  /** A line of the shell is over. */
  | { readonly type: "stood"; readonly cwd: string; readonly entry: Past | null }
  | { readonly type: "written"; readonly text: string }
  /** What had the screen is gone. */
  | { readonly type: "seen" }
  | { readonly type: "attached"; readonly pid: string; readonly readOnly: boolean }
  /** A task has begun with what was asked. */
  | { readonly type: "behind"; readonly pid: string; readonly text: string }
  | { readonly type: "themed"; readonly theme: string }
  | {
      readonly type: "completed";
      readonly of: Editing;
      readonly from: number;
      readonly candidates: readonly Candidate[];
    }
  | ViewNews
  | { readonly type: "told"; readonly text: string; readonly at: number };

/** What the views are told. */
export type ViewNews =
  | { readonly type: "listed"; readonly processes: readonly ProcessInfo[]; readonly day: BudgetInfo | null }
  | { readonly type: "looked"; readonly looks: { readonly [pid: string]: Look } }
  | {
      readonly type: "traced";
      readonly pid: string;
      readonly rows: readonly Traced[];
      readonly info: ProcessInfo | null;
    }
  /** Nothing more comes of it. */
  | { readonly type: "untraced"; readonly pid: string; readonly why: string }
  | { readonly type: "paged"; readonly title: string; readonly text: string }
  | { readonly type: "offered"; readonly kind: PickerKind; readonly items: readonly Item[] };
