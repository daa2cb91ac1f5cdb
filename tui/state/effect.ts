// Effects of the reducer: lines for the transcript, calls to the kernel, work with the terminal.

import type { ProcessInfo, Usage } from "../../src/abi/process/process.ts";
import type { Answer } from "../../src/syscalls/approval/hil.ts";
import type { Editing } from "../line/editor.ts";
import type { Past } from "../line/history.ts";
import type { ThemeName } from "../screen/theme.ts";
import type { TerminalSettings } from "../settings.ts";
import type { Ask } from "./asks.ts";
import type { State } from "./state.ts";

/** A part of the transcript. */
export type Entry =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "command"; readonly text: string; readonly host: boolean }
  | { readonly kind: "delta"; readonly turn: number; readonly text: string }
  /** Ended thinking; null if the duration is unknown. */
  | { readonly kind: "thought"; readonly tookMs: number | null }
  | { readonly kind: "text"; readonly turn: number; readonly text: string }
  | { readonly kind: "retry"; readonly reason: string }
  /** Why the run is paused. */
  | { readonly kind: "failure"; readonly reason: string }
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
  /** Lines of gsv, which may have colors. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };

export type EntryOf<Kind extends Entry["kind"]> = Entry & { readonly kind: Kind };

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
  | { readonly do: "abort"; readonly pid: string }
  | { readonly do: "kill"; readonly pid: string }
  | { readonly do: "signal"; readonly pid: string; readonly signal: "STOP" | "CONT" }
  | { readonly do: "measure" }
  | { readonly do: "count-news" }
  | { readonly do: "read-news"; readonly ids: readonly string[] }
  | { readonly do: "answer"; readonly answer: Answer }
  /** Makes the pressed answer final if no text follows. */
  | { readonly do: "settle-answer"; readonly since: number }
  /** Reads the labels of all processes. */
  | { readonly do: "learn-names" }
  | { readonly do: "show-ask"; readonly id: string }
  | { readonly do: "edit-ask"; readonly id: string }
  | { readonly do: "run"; readonly text: string; readonly host: boolean; readonly entry: Past | null }
  | { readonly do: "remember"; readonly entry: Past }
  | { readonly do: "catch-up"; readonly afterSeq: number }
  | { readonly do: "edit"; readonly text: string }
  | { readonly do: "complete"; readonly of: Editing }
  /** `rest` is flags of `spawn`, or a prompt. */
  | { readonly do: "new"; readonly rest?: string }
  | { readonly do: "background"; readonly text: string }
  | { readonly do: "jobs" }
  /** `text` has pids instead of the job numbers of the line. */
  | { readonly do: "kill-jobs"; readonly text: string }
  | { readonly do: "resume-line"; readonly stopped: number }
  | { readonly do: "end-line"; readonly stopped: number }
  | { readonly do: "attach"; readonly pid: string; readonly readOnly?: boolean }
  /** Attaches to the nth process, the most recently active first. */
  | { readonly do: "go"; readonly nth: number }
  | { readonly do: "suspend" }
  | { readonly do: "push-up" }
  | { readonly do: "leave" }
  | { readonly do: "apply-settings"; readonly settings: TerminalSettings }
  | { readonly do: "apply-theme"; readonly name: ThemeName }
  | ViewEffect;

export type ViewEffect =
  /** `byTime`: nothing happened, so a list that takes long to read may wait. */
  | { readonly do: "list"; readonly byTime?: true }
  | { readonly do: "look"; readonly processes: readonly ProcessInfo[] }
  | { readonly do: "trace"; readonly pid: string; readonly after: number | null }
  | { readonly do: "log"; readonly pid: string }
  | { readonly do: "offer-models" }
  | { readonly do: "offer-schedules" }
  | { readonly do: "offer-mcp" }
  | { readonly do: "theme"; readonly name: ThemeName };

export type EffectOf<Do extends Effect["do"]> = Effect & { readonly do: Do };

export interface Reduced {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function only(state: State): Reduced {
  return { state, effects: [] };
}

export function act(state: State, ...effects: readonly Effect[]): Reduced {
  return { state, effects };
}

export function print(entry: Entry): Effect {
  return { do: "print", entry };
}

export function note(text: string): Effect {
  return print({ kind: "note", text });
}

/** The line as the transcript shows it. */
export function typedLine(text: string, host = false): Effect {
  return print({ kind: "command", text, host });
}

export function ran(text: string, host = false, entry: Past | null = null): readonly Effect[] {
  return [typedLine(text, host), { do: "run", text, host, entry }];
}
