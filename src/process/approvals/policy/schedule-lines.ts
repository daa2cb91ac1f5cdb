// Changes of schedules in a command line of gsv's shell: they always ask, and the card shows the next times. Pure.

import type { LineCommand } from "./shell-line.ts";
import { type Part, programOf, type Word } from "./shell-parts.ts";

export interface ScheduleChange {
  /** Such as `sched add`. */
  readonly command: string;
  /** The time as `sched.add` takes it; null without one, or if it is known only when the line runs. */
  readonly when: string | null;
  readonly tz: string | null;
}

const READS = /^(?:list|get|show|due|history|next)$/;
/** Flags without a value. */
const SWITCHES = /^--(?:event|new|exec|host|json|list|once)$|^--[a-z-]+=/;

export function scheduleChanges(commands: readonly LineCommand[] | null): readonly ScheduleChange[] {
  return (commands ?? []).flatMap(({ parts }) => parts).flatMap((part) => changeOf(part) ?? []);
}

function changeOf({ words }: Part): ScheduleChange | null {
  const [first = null, ...rest] = words;
  if (first === null) return null;
  const program = programOf(first);
  if (program === "gsv") return changeOf({ words: rest, wrappers: [] });
  const { plain, flags } = split(rest);
  const tz = flags.get("--tz") ?? null;
  if (program === "at" || program === "every") {
    const time = plain.slice(0, -1);
    const when = time.includes(null) || time.length === 0 ? null : time.join(" ");
    return { command: program, when: when !== null && program === "every" ? `every ${when}` : when, tz };
  }
  if (program === "on") return flags.has("--list") ? null : { command: `on ${plain[0] ?? "…"}`, when: null, tz };
  if (program === "api" && plain[0]?.startsWith("signal."))
    return plain[0] === "signal.list" ? null : { command: plain[0], when: null, tz: null };
  // The arguments of an api call are JSON.
  if (program === "api" && plain[0]?.startsWith("sched."))
    return READS.test(plain[0].slice("sched.".length)) ? null : { command: plain[0], when: null, tz: null };
  if (program !== "sched") return null;
  const [verb = null, time = null] = plain;
  if (verb !== null && READS.test(verb)) return null;
  return { command: `sched ${verb ?? "…"}`, when: verb === "add" ? time : (flags.get("--when") ?? null), tz };
}

function split(words: readonly Word[]): {
  readonly plain: Word[];
  readonly flags: ReadonlyMap<string, Word>;
} {
  const plain: Word[] = [];
  const flags = new Map<string, Word>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (!word?.startsWith("--")) plain.push(word);
    else if (SWITCHES.test(word))
      flags.set(word.split("=", 1)[0]!, word.includes("=") ? word.slice(word.indexOf("=") + 1) : null);
    else flags.set(word, words[++at] ?? null);
  }
  return { plain, flags };
}
