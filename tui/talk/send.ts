// Messages on their way: sent at once if nothing runs, otherwise queued until a run takes them. Messages for after the run are kept here
// and sent before this terminal leaves. Pure.

import { emptied, withText } from "../line/editor.ts";
import { act, type EffectOf, only, print, type Reduced } from "../state/effect.ts";
import { type Fate, NEW_RUN, type Waiting } from "../state/process.ts";
import { type State, set } from "../state/state.ts";

const NEXT_FATE: { readonly [F in Fate]: Fate } = { next: "after", after: "now", now: "next" };

export function sentMessage(
  state: State,
  text: string,
  { key, at }: { readonly key: string; readonly at: number },
): Reduced {
  const { run, waiting, fate } = state.chat;
  const { pid } = state.process;
  if (run === null && waiting.length === 0 && state.process.state === "idle") {
    const begun = set(state, "chat", { run: { ...NEW_RUN, since: at, sinceDoing: at } });
    return act(begun, print({ kind: "message", text }), sendOf(pid, { key, text, fate: "next" }));
  }
  const message: Waiting = { key, text, fate: run === null ? "next" : fate, runId: null };
  const next = set(state, "chat", { waiting: [...waiting, message], fate: fate === "now" ? "next" : fate });
  return message.fate === "after" ? only(next) : act(next, sendOf(pid, message));
}

/** ctrl-s changes what happens to the next message. */
export function nextFate(state: State): State {
  const { run, fate } = state.chat;
  return run === null ? state : set(state, "chat", { fate: NEXT_FATE[fate] });
}

/** After the run, kept messages are sent, one for each run; messages that the kernel has come first. */
export function released(state: State): Reduced {
  const { run, waiting } = state.chat;
  if (run !== null || state.process.state !== "idle") return only(state);
  const at = waiting.findIndex(({ fate }) => fate === "after");
  const message = waiting[at];
  if (message === undefined || at > 0) return only(state);
  const next = set(state, "chat", { waiting: waiting.with(at, { ...message, fate: "next" }) });
  return act(next, sendOf(state.process.pid, message));
}

/** Kept messages, to be sent before this terminal leaves or attaches to another process. */
export function unsent({ process: { pid }, chat: { waiting } }: State): readonly EffectOf<"send">[] {
  return waiting.filter(({ fate }) => fate === "after").map((message) => sendOf(pid, message));
}

/** The last queued message goes back into the line; null if there is none. */
export function takenBack(state: State): Reduced | null {
  const { waiting } = state.chat;
  const last = waiting.findLast(({ fate, runId }) => fate === "after" || runId !== null);
  if (last === undefined) return null;
  const rest = set(state, "chat", { waiting: waiting.filter((message) => message !== last) });
  const taken = set(rest, "line", { input: withText(emptied(state.line.input), last.text) });
  return last.runId === null ? only(taken) : act(taken, { do: "withdraw", runId: last.runId });
}

function sendOf(pid: string, { key, text, fate }: Omit<Waiting, "runId">): EffectOf<"send"> {
  return { do: "send", pid, key, text, interrupt: fate === "now" };
}
