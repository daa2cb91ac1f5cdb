// The state only changes here: an event and the state make the next state and effects. Pure.

import { WORKING_STATES } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { isCovered, resetCard, withCard } from "../approval-card/approval-card-keys.ts";
import { settledAnswer } from "../approval-card/chosen-answer.ts";
import { withText } from "../line/editor.ts";
import { type Past, withLast } from "../line/history.ts";
import { completed } from "../line/menu.ts";
import { lineStopped, started, withJobNews, withoutStopped } from "../talk/jobs.ts";
import { released, unsent } from "../talk/send.ts";
import { subjectOf } from "../talk/subject.ts";
import { onViewEvent, withRate } from "../views/views.ts";
import { act, note, only, print, type Reduced } from "./effect.ts";
import type { AppEvent, EventOf } from "./event.ts";
import type { KeyContext } from "./key-context.ts";
import { type ActiveRun, type Conversation, NEW_CHAT, NEW_RUN, newAttachment } from "./process.ts";
import { onTyped } from "./reduce-keys.ts";
import { onSignal } from "./reduce-signals.ts";
import { noticed, type State, set } from "./state.ts";
import { onTick } from "./tick.ts";

export function reduce(before: State, event: AppEvent, context: KeyContext): Reduced {
  const next = onEvent(before, event, context);
  const free = released(next.state);
  const open = isCovered(before) && !isCovered(free.state) ? resetCard(free.state) : free.state;
  const state = withRoute(before, withCard(open, context.now), event, context);
  return { state, effects: free.effects.length === 0 ? next.effects : [...next.effects, ...free.effects] };
}

/** A line of the shell may have defined functions and aliases: then the same line may be a command now. */
function withRoute(before: State, state: State, event: AppEvent, { route }: KeyContext): State {
  const { input, pinned, past } = state.line;
  const turned = input.text === "" ? null : state.line.turned;
  const old = before.line;
  const isSame = input.text === old.input.text && pinned === old.pinned && turned === old.turned && past === old.past;
  if (isSame && event.type !== "line-done") return state;
  return set(state, "line", { turned, route: route(withLast(input.text, past), turned ?? pinned) });
}

function onEvent(state: State, event: AppEvent, context: KeyContext): Reduced {
  switch (event.type) {
    case "typed":
      return onTyped(state, event.typed, event.at, context);
    case "signal":
      return heard(state, event.signal, event.at);
    case "tick":
      return onTick(state, event.at);
    case "settings":
      return act({ ...state, theme: event.settings.theme }, { do: "apply-settings", settings: event.settings });
    case "theme":
      return act({ ...state, theme: event.name }, { do: "apply-theme", name: event.name });
    case "sent":
      return sent(state, event);
    case "answered":
      return act(withoutMessage(state, event.key), ...event.text.split("\n").map(note));
    case "refused":
      return refused(state, event);
    case "attached":
      return attached(state, event);
    case "adopted":
      return adopted(state, event, context.now);
    case "refreshed":
      return act(withInfo(state, event.info, context.now), { do: "measure" });
    case "answer-settled":
      return settledAnswer(state, event.since);
    case "modelled":
      return only(event.pid === state.process.pid ? set(state, "process", { model: event.model }) : state);
    case "measured":
      return only(set(state, "process", { context: event.context }));
    case "line-done": {
      const past = withEnd(state.line.past, event.entry);
      return only(resetCard(set(state, "line", { cwd: event.cwd, past })));
    }
    case "edited":
      return only(resetCard(set(state, "line", { input: withText(state.line.input, event.text) })));
    case "terminal-back":
      return only(resetCard(state));
    case "job-started":
      return started(state, event.pid, event.text);
    case "line-stopped":
      return lineStopped(state, event);
    case "stopped-ended":
      return only(withoutStopped(state, event.stopped));
    case "completed":
      return only(completed(state, event.of, event.from, event.candidates));
    case "counted":
      return only(set(state, "news", { unread: event.unread }));
    case "line":
      return only(onLine(state, event.isCut));
    case "signed-out":
      return only(noticed(set(state, "news", { isSignedOut: true }), event.text, event.at));
    case "named":
      return only(set(state, "asking", { processes: event.processes }));
    case "notice":
      return only(noticed(state, event.text, event.at));
    default:
      return onViewEvent(state, event);
  }
}

/** An error of the lost connection is no longer true when it is back. */
function onLine(before: State, isCut: boolean): State {
  const { notice } = before.overlay;
  const state = set(before, "news", { isCut });
  return isCut || notice === null || notice.isNews ? state : set(state, "overlay", { notice: null });
}

function heard(state: State, signal: Signal, at: number): Reduced {
  return withJobNews(onSignal(withRate(state, signal, at), signal, at), signal);
}

/** The run may have started before the answer to `send` came. */
function sent(state: State, { key, runId }: EventOf<"sent">): Reduced {
  const { run, waiting } = state.chat;
  const message = waiting.find((each) => each.key === key);
  if (message === undefined) return only(run?.runId === "" ? set(state, "chat", { run: { ...run, runId } }) : state);
  if (run?.runId === runId)
    return act(
      set(state, "chat", { waiting: waiting.filter((each) => each !== message) }),
      print({ kind: "message", text: message.text }),
    );
  return only(set(state, "chat", { waiting: waiting.map((each) => (each === message ? { ...each, runId } : each)) }));
}

function withoutMessage(state: State, key: string): State {
  const { waiting, run } = state.chat;
  return set(state, "chat", {
    waiting: waiting.filter((message) => message.key !== key),
    run: run?.runId === "" ? null : run,
  });
}

/** A message that could not be sent goes back into an empty line. */
function refused(before: State, { key, message, why }: EventOf<"refused">): Reduced {
  const state = withoutMessage(before, key);
  const { input } = state.line;
  if (input.text !== "") return act(state, note(why));
  return act(set(state, "line", { input: withText(input, message) }), note(why));
}

function attached(before: State, { pid, readOnly, about }: EventOf<"attached">): Reduced {
  const { model, state, waitsFor, stateSince } = before.process;
  const process = { ...newAttachment(pid), readOnly, model, state, waitsFor, stateSince };
  const next = set({ ...before, process, chat: NEW_CHAT }, "asking", { card: null });
  return act(next, ...unsent(before), note(about));
}

function adopted(
  before: State,
  { info, model, entries, collapsed, calls, asks }: EventOf<"adopted">,
  now: number,
): Reduced {
  const known = withInfo(before, info, now);
  const { run } = before.chat;
  const working = WORKING_STATES.includes(info.state) && info.activeRunId !== null;
  const chat = { run: run ?? (working ? runOf(info.activeRunId, calls, now) : null), calls, collapsed };
  const state = set(set(known, "chat", chat), "process", { model: model ?? before.process.model });
  const fresh = asks.filter(({ id }) => !state.asking.asks.some((ask) => ask.id === id));
  const all = [...state.asking.asks, ...fresh];
  const isOther = all.some(({ pid }) => pid !== info.pid);
  const names = isOther ? ([{ do: "learn-names" }] as const) : [];
  return act(set(state, "asking", { asks: all }), ...entries.map(print), { do: "measure" }, ...names);
}

function withInfo(
  before: State,
  { state, label, waitsFor, costUsd, mode }: EventOf<"refreshed">["info"],
  now: number,
): State {
  const stateSince = state === before.process.state ? before.process.stateSince : now;
  return set(before, "process", { state, label, waitsFor, costUsd, mode, stateSince });
}

function runOf(runId: string, calls: Conversation["calls"], now: number): ActiveRun {
  const [call] = Object.values(calls);
  const what = call === undefined ? "" : `${call.tool} ${subjectOf(call.tool, call.args)}`;
  return { ...NEW_RUN, runId, doing: call === undefined ? "thinking" : "tool", what, since: now, sinceDoing: now };
}

/** The line of history, now with its exit status. */
function withEnd(past: readonly Past[], entry: Past | null): readonly Past[] {
  const at = entry === null ? -1 : past.findLastIndex((each) => each.at === entry.at && each.text === entry.text);
  return entry === null || at === -1 ? past : past.with(at, entry);
}
