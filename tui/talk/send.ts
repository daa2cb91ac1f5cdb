// Messages on their way: said at once where nothing is in their way, else shown as waiting, with what becomes of them, until a run takes
// them up. What is kept back is this terminal's alone, and goes to the kernel before it leaves. Pure.

import { emptied, withText } from "../line/editor.ts";
import type { Effect, Reduced } from "../state/effect.ts";
import type { Fate, Waiting } from "../state/process.ts";
import type { State } from "../state/state.ts";

export type SendEffect = Effect & { readonly do: "send" };

const NEXT_FATE: { readonly [F in Fate]: Fate } = { next: "after", after: "now", now: "next" };

export function asked(state: State, text: string, { key, at }: { readonly key: string; readonly at: number }): Reduced {
  const { pid, run, waiting, fate } = state;
  if (run === null && waiting.length === 0 && state.state === "idle") {
    const begun = { runId: "", doing: "thinking", what: "", since: at, sinceDoing: at, chars: 0 } as const;
    const send = sendOf(pid, { key, text, fate: "next" });
    return { state: { ...state, run: begun }, effects: [{ do: "print", entry: { kind: "said", text } }, send] };
  }
  const message: Waiting = { key, text, fate: run === null ? "next" : fate, runId: null };
  const next = { ...state, waiting: [...waiting, message], fate: fate === "now" ? "next" : fate } as const;
  return { state: next, effects: message.fate === "after" ? [] : [sendOf(pid, message)] };
}

/** What will become of the next message, another way each time. */
export function turnedFate(state: State): State {
  return state.run === null ? state : { ...state, fate: NEXT_FATE[state.fate] };
}

/** The run is over: what was kept back for then is said, one message a run. */
export function released(state: State): Reduced {
  if (state.run !== null || state.state !== "idle") return { state, effects: [] };
  const at = state.waiting.findIndex(({ fate }) => fate === "after");
  const message = state.waiting[at];
  // What the kernel has comes first.
  if (message === undefined || at > 0) return { state, effects: [] };
  const waiting = state.waiting.with(at, { ...message, fate: "next" });
  return { state: { ...state, waiting }, effects: [sendOf(state.pid, message)] };
}

/** Nothing that was kept back is lost with the terminal, or by talking to somebody else. */
export function unkept({ pid, waiting }: State): readonly SendEffect[] {
  return waiting.filter(({ fate }) => fate === "after").map((message) => sendOf(pid, message));
}

/** The last one comes back into the line; null where none can. */
export function takenBack(state: State): Reduced | null {
  const last = state.waiting.findLast(({ fate, runId }) => fate === "after" || runId !== null);
  if (last === undefined) return null;
  const waiting = state.waiting.filter((message) => message !== last);
  const taken = { ...state, waiting, input: withText(emptied(state.input), last.text) };
  return { state: taken, effects: last.runId === null ? [] : [{ do: "withdraw", runId: last.runId }] };
}

function sendOf(pid: string, { key, text, fate }: Omit<Waiting, "runId">): SendEffect {
  return { do: "send", pid, key, text, interrupt: fate === "now" };
}
