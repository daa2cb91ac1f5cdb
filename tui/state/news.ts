// Notifications in the terminal: one line when one comes, and how many are unread. News about the attached process are on the screen
// already. Pure.

import { senderOf } from "../../src/abi/notification.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import { act, note, only, type Reduced } from "./effect.ts";
import { type State, set } from "./state.ts";

const LINE_CHARS_MAX = 200;

type NewsSignal = SignalOf<"notification.created" | "notification.updated">;

export function onNews(state: State, signal: NewsSignal): Reduced {
  const { unread } = signal;
  if (signal.name === "notification.updated") return only(set(state, "news", { unread }));
  const { source, ids } = signal;
  const isShown =
    source !== null && (source.kind === "run" || source.kind === "budget") && signal.pid === state.process.pid;
  if (isShown && state.news.isFocused)
    return act(set(state, "news", { unread: Math.max(0, unread - ids.length) }), { do: "read-news", ids });
  if (isShown) return only(set(state, "news", { unread }));
  const text = lineOf(signal);
  const next = set(state, "news", { unread, latest: { id: ids[0] ?? "", text } });
  // A failed schedule has a line of its own.
  return source?.kind === "schedule" ? only(next) : act(next, note(text));
}

/** Title and text may be those of an agent. */
function lineOf({ source, title, body }: SignalOf<"notification.created">): string {
  const sender = source === null ? null : senderOf(source);
  const [first = ""] = (body ?? "").split("\n");
  const words = [sender === null ? title : `${sender}: ${title}`, first].filter((part) => part !== "");
  return shortText(reveal(words.join(" · ")), LINE_CHARS_MAX);
}
