// What happened while nobody looked, in one line: of the process one comes back to how much was said and done, of the others which ended and
// which wait. Whoever only talked to another process was not away, and has heard of the others. Pure.

import { age } from "../../commands/proc/process-table.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";

/** The last that somebody at this terminal saw of a process. */
export interface Seen {
  readonly seq: number;
  readonly at: number;
}

export interface WhileAway {
  readonly pid: string;
  readonly since: Seen;
  /** When somebody was at this terminal last; null where they were all the while. */
  readonly left: number | null;
  readonly now: number;
  /** Of the process itself, since then. */
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
  /** All there are, where others are to be told of. */
  readonly processes: readonly ProcessInfo[] | null;
}

const NAMED_MAX = 3;

export function missedText(away: WhileAway): string | null {
  const { pid, since, left, now, hasMore, processes } = away;
  // A result is seen before its number is known here.
  const messages = away.messages.filter(({ timestamp }) => timestamp > since.at);
  const said = messages.filter((message) => message.role === "assistant" && message.content.text !== "").length;
  const results = messages.filter((message) => message.role === "toolResult");
  const failed = results.filter(({ content }) => content.isError).length;
  const more = hasMore ? "more than " : "";
  const parts = [
    ...counted(said, "answer", more),
    ...counted(results.length, "tool call", more),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  const others = (processes ?? [])
    .filter(({ pid: other, lastActiveAt }) => other !== pid && (lastActiveAt ?? 0) > (left ?? since.at))
    .map((process) => `${process.pid} ${endOf(process)}`);
  const named =
    others.length > NAMED_MAX ? [...others.slice(0, NAMED_MAX), `${others.length - NAMED_MAX} more`] : others;
  const told = [...(parts.length === 0 ? [] : [parts.join(", ")]), ...(named.length === 0 ? [] : [named.join(", ")])];
  const when = left === null ? "since you talked to it" : "while you were away";
  return told.length === 0 ? null : `${when} (${age(now - (left ?? since.at))}): ${told.join("; ")}`;
}

function counted(count: number, what: string, more: string): readonly string[] {
  return count === 0 ? [] : [`${more}${count} ${what}${count === 1 ? "" : "s"}`];
}

function endOf({ state, lastStatus }: ProcessInfo): string {
  if (state === "idle") return lastStatus === null || lastStatus === "ok" ? "done" : lastStatus;
  if (state === "waiting_hil") return "waits for you";
  return state === "running" || state === "waiting_tool" || state === "queued" ? "is at work" : state;
}
