// What the reducer asks for, and what it returns.

import type { ProcessInfo, Usage } from "../../src/abi/process/process.ts";
import type { Answer } from "../../src/syscalls/approval/approval-service.ts";
import type { Editing } from "../line/editor.ts";
import type { Past } from "../line/history.ts";
import type { ThemeName } from "../screen/theme.ts";
import type { Ask } from "./asks.ts";
import type { State } from "./state.ts";

/** What becomes part of the transcript. */
export type Entry =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ran"; readonly text: string; readonly host: boolean }
  | { readonly kind: "grows"; readonly turn: number; readonly text: string }
  /** Thinking that is over; how long it took, where that is known. */
  | { readonly kind: "thought"; readonly tookMs: number | null }
  | { readonly kind: "text"; readonly turn: number; readonly text: string }
  | { readonly kind: "again"; readonly reason: string }
  | {
      readonly kind: "result";
      readonly tool: string;
      readonly args: object;
      readonly ok: boolean;
      readonly output: string;
      readonly tookMs: number | null;
    }
  | { readonly kind: "decided"; readonly ask: Ask; readonly decision: string; readonly by: string | null }
  | {
      readonly kind: "ended";
      readonly status: string;
      readonly error: string | null;
      readonly tookMs: number | null;
      readonly usage: Usage;
    }
  | { readonly kind: "note"; readonly text: string }
  /** Of the terminal's own making. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };

export type Effect =
  | { readonly do: "print"; readonly entry: Entry }
  | {
      readonly do: "send";
      readonly pid: string;
      readonly key: string;
      readonly text: string;
      readonly interrupt: boolean;
    }
  | { readonly do: "withdraw"; readonly runId: string }
  | { readonly do: "stop" }
  /** How full the window is. */
  | { readonly do: "measure" }
  | { readonly do: "answer"; readonly answer: Answer }
  /** What was pressed then is the answer if nothing follows. */
  | { readonly do: "let-stand"; readonly since: number }
  /** All of it, read. */
  | { readonly do: "show-ask"; readonly id: string }
  /** Changed in an editor, and allowed so. */
  | { readonly do: "edit-ask"; readonly id: string }
  | { readonly do: "run"; readonly text: string; readonly host: boolean; readonly entry: Past | null }
  | { readonly do: "remember"; readonly entry: Past }
  | { readonly do: "catch-up"; readonly afterSeq: number }
  | { readonly do: "edit"; readonly text: string }
  | { readonly do: "complete"; readonly of: Editing }
  /** With what `spawn` takes, or with what is asked of it. */
  | { readonly do: "new"; readonly rest?: string }
  /** A task of its own, that nobody listens to, for what is asked. */
  | { readonly do: "background"; readonly text: string }
  | { readonly do: "jobs" }
  /** `text` names processes where the line named jobs. */
  | { readonly do: "kill-jobs"; readonly text: string }
  | ViewEffect
  | { readonly do: "attach"; readonly pid: string; readonly readOnly?: boolean }
  /** The one that did something last, or the one before. */
  | { readonly do: "go"; readonly nth: number }
  | { readonly do: "signal"; readonly pid: string; readonly signal: "STOP" | "CONT" }
  | { readonly do: "end"; readonly pid: string }
  | { readonly do: "stop-run"; readonly pid: string }
  | { readonly do: "suspend" }
  | { readonly do: "push-up" }
  | { readonly do: "leave" };

export interface Reduced {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** And what they ask for. */
export type ViewEffect =
  | { readonly do: "list" }
  | { readonly do: "look"; readonly processes: readonly ProcessInfo[] }
  | { readonly do: "trace"; readonly pid: string; readonly after: number | null }
  | { readonly do: "log"; readonly pid: string }
  | { readonly do: "offer-models" }
  | { readonly do: "theme"; readonly name: ThemeName };
