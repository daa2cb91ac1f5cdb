// Tags of a command by its words: destructive, network, privileged, messages, mutating, unclassified, or none for read-only. Also the options with which
// a harmless program writes files or runs another program: a rule for the program does not cover these. Pure.

import type { Tag } from "../../../abi/policy.ts";
import { programNamed } from "../../../abi/programs.ts";
import { looksOf } from "./readers.ts";
import { type Part, programOf } from "./shell-parts.ts";

/** Verbs of gsv that end or delete something, and the nouns before them. */
const ENDS = /^(?:kill|reset|delete|remove|uninstall|rm)$/;
/** Verbs of gsv that message a process. */
const SENDS = /^(?:send|call|chat|proc\.send|proc\.ipc\.(?:send|call))$/;
/** Programs that do. */
const SENDERS = /^(?:send|chat)$/;
const LEADS = /^(?:gsv|proc|archive|fs|repo|workspace|user|token|media|skills|context|storage)$/;
const SENDS_AFTER = /^(?:gsv|proc|api)$/;

export function tagsOf({ words }: Pick<Part, "words">): ReadonlySet<Tag> {
  const [name = null, ...args] = words;
  if (name === null) return new Set<Tag>(["unclassified"]);
  const program = programOf(name);
  const known: Tag[] = [
    ...(endsSomething(program, args) ? (["destructive"] as const) : []),
    ...(sendsMessage(program, args) ? (["messages"] as const) : []),
    ...(programNamed(program).tags ?? []),
  ];
  if (program === "find" && args.includes("-delete")) known.push("destructive");
  if (words.every((word) => word !== null) && looksOf(words as readonly string[]) !== null) return new Set();
  return new Set(known.length === 0 ? ["unclassified"] : known);
}

function endsSomething(program: string, args: readonly (string | null)[]): boolean {
  if (ENDS.test(program)) return true;
  if (!LEADS.test(program)) return false;
  const first = args.find((arg) => arg !== null && !arg.startsWith("-")) ?? "";
  return ENDS.test(first) || (LEADS.test(first) && args.some((arg) => ENDS.test(arg ?? "")));
}

function sendsMessage(program: string, args: readonly (string | null)[]): boolean {
  if (!SENDS_AFTER.test(program)) return SENDERS.test(program);
  const verb = args.find((arg) => arg !== null && !arg.startsWith("-") && !SENDS_AFTER.test(arg)) ?? "";
  return SENDS.test(verb);
}

export function unstableOption({ words }: Pick<Part, "words">): string | null {
  const [name = null, ...args] = words;
  const pattern = name === null ? undefined : programNamed(programOf(name)).unstable;
  return args.find((arg): arg is string => arg !== null && pattern?.test(arg) === true) ?? null;
}
