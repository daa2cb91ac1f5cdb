// One line about what happened while the person was away: answers and calls of the attached process, and which other processes ended or
// wait. Pure.

import { age } from "../../commands/proc/process-table.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { shortName } from "../state/names.ts";

/** The last message of a process that was seen at this terminal. */
export interface Seen {
  readonly seq: number;
  readonly at: number;
}

export interface WhileAway {
  readonly pid: string;
  readonly since: Seen;
  /** When the person left; null if they only talked to another process. */
  readonly left: number | null;
  readonly now: number;
  /** Of the process itself, since then. */
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
  /** All processes; null if the others need no mention. */
  readonly processes: readonly ProcessInfo[] | null;
}

const NAMED_MAX = 3;

export function missedText(away: WhileAway): string | null {
  const { pid, since, left, now, hasMore, processes } = away;
  // A result may be seen before its number is known here.
  const messages = away.messages.filter(({ timestamp }) => timestamp > since.at);
  const answers = messages.filter((message) => message.role === "assistant" && message.content.text !== "").length;
  const results = messages.filter((message) => message.role === "toolResult");
  const failed = results.filter(({ content }) => content.isError).length;
  const more = hasMore ? "more than " : "";
  const parts = [
    ...counted(answers, "answer", more),
    ...counted(results.length, "tool call", more),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  const others = (processes ?? [])
    .filter(({ pid: other, lastActiveAt }) => other !== pid && (lastActiveAt ?? 0) > (left ?? since.at))
    .map((process) => `${reveal(shortName(process, processes ?? []))} ${stateText(process)}`);
  const named =
    others.length > NAMED_MAX ? [...others.slice(0, NAMED_MAX), `${others.length - NAMED_MAX} more`] : others;
  const all = [...(parts.length === 0 ? [] : [parts.join(", ")]), ...(named.length === 0 ? [] : [named.join(", ")])];
  const when = left === null ? "Since you last talked to it" : "While you were away";
  return all.length === 0 ? null : `${when} (${age(now - (left ?? since.at))}): ${all.join(" · ")}`;
}

function counted(count: number, what: string, more: string): readonly string[] {
  return count === 0 ? [] : [`${more}${count} ${what}${count === 1 ? "" : "s"}`];
}

function stateText({ state, lastStatus }: ProcessInfo): string {
  if (state === "idle") return lastStatus === null || lastStatus === "ok" ? "done" : lastStatus;
  if (state === "waiting_hil") return "waits for you";
  return state === "running" || state === "waiting_tool" || state === "queued" ? "is working" : state;
}
