// Events: keys, signals of the kernel, time, results of effects.

import type { Traced } from "../../commands/proc/trace-table.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { NamedProcess } from "../../src/abi/process/process-name.ts";
import type { DueItem } from "../../src/abi/schedule.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending.ts";
import type { Editing } from "../line/editor.ts";
import type { Past } from "../line/history.ts";
import type { Typed } from "../line/keys.ts";
import type { ThemeName } from "../screen/theme.ts";
import type { TerminalSettings } from "../settings.ts";
import type { Ask } from "./asks.ts";
import type { Entry } from "./effect.ts";
import type { Candidate } from "./line.ts";
import type { Collapsed, Context, OpenCall } from "./process.ts";
import type { Item, Look, PickerKind } from "./views.ts";

export type AppEvent =
  | { readonly type: "typed"; readonly typed: Typed; readonly at: number }
  | { readonly type: "signal"; readonly signal: Signal; readonly at: number }
  | { readonly type: "tick"; readonly at: number }
  | { readonly type: "settings"; readonly settings: TerminalSettings }
  | { readonly type: "sent"; readonly key: string; readonly runId: string }
  /** The kernel has answered a message without a run. */
  | { readonly type: "answered"; readonly key: string; readonly text: string }
  | { readonly type: "refused"; readonly key: string; readonly message: string; readonly why: string }
  | { readonly type: "attached"; readonly pid: string; readonly readOnly: boolean; readonly about: string }
  /** The state and history of the process, after attaching to it. */
  | ({ readonly type: "adopted" } & Adopted)
  | { readonly type: "refreshed"; readonly info: ProcessInfo }
  /** No text followed the answer that was pressed then. */
  | { readonly type: "answer-settled"; readonly since: number }
  /** The model that answers from now on. */
  | { readonly type: "modelled"; readonly pid: string; readonly model: string }
  | { readonly type: "measured"; readonly context: Context | null }
  | { readonly type: "line-done"; readonly cwd: string; readonly entry: Past | null }
  | { readonly type: "edited"; readonly text: string }
  /** An editor or a program has given the terminal back. */
  | { readonly type: "terminal-back" }
  | { readonly type: "job-started"; readonly pid: string; readonly text: string }
  /** Ctrl-z stopped a line of this computer. */
  | { readonly type: "line-stopped"; readonly stopped: number; readonly text: string }
  | { readonly type: "stopped-ended"; readonly stopped: number }
  | { readonly type: "theme"; readonly name: ThemeName }
  | {
      readonly type: "completed";
      readonly of: Editing;
      readonly from: number;
      readonly candidates: readonly Candidate[];
    }
  /** Unread notifications, when the terminal starts. */
  | { readonly type: "counted"; readonly unread: number }
  /** The connection to a remote kernel was lost or is back. */
  | { readonly type: "line"; readonly isCut: boolean }
  /** The remote kernel has ended the login of this terminal. */
  | { readonly type: "signed-out"; readonly text: string; readonly at: number }
  | { readonly type: "named"; readonly processes: readonly NamedProcess[] }
  | { readonly type: "notice"; readonly text: string; readonly at: number }
  | ViewEvent;

export interface Adopted {
  readonly info: ProcessInfo;
  readonly model: string | null;
  readonly entries: readonly Entry[];
  readonly collapsed: readonly Collapsed[];
  readonly calls: { readonly [callId: string]: OpenCall };
  readonly asks: readonly Ask[];
}

export type ViewEvent =
  | {
      readonly type: "listed";
      readonly processes: readonly ProcessInfo[];
      readonly day: BudgetInfo | null;
      readonly due: DueItem | null;
    }
  | { readonly type: "looked"; readonly looks: { readonly [pid: string]: Look } }
  | {
      readonly type: "traced";
      readonly pid: string;
      readonly rows: readonly Traced[];
      readonly info: ProcessInfo | null;
    }
  | { readonly type: "trace-over"; readonly pid: string; readonly why: string }
  | { readonly type: "paged"; readonly title: string; readonly text: string }
  | { readonly type: "offered"; readonly kind: PickerKind; readonly items: readonly Item[] };

export type EventOf<Type extends AppEvent["type"]> = AppEvent & { readonly type: Type };
