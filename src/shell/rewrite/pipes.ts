// Rewrites pipes so that neighbouring programs run concurrently, and a loop ends with a reader that stops early, such as `head`. Pure.

import { ENDED_BY } from "../../abi/errno.ts";
import { programNamed } from "../../abi/programs.ts";
import { isWordTwice } from "../interpreter/script-file.ts";
import { ALONE, FLOWS, NEXT, OWN, type Part, partWord } from "../programs/internal-words.ts";
import { PROGRAMS } from "../programs/table.ts";
import { liveLoop } from "./live-loops.ts";
import {
  choice,
  group,
  holds,
  literal,
  literalName,
  literalText,
  type Node,
  onlyCommand,
  simple,
  statementOf,
  textsIn,
} from "./nodes.ts";
import type { Rules } from "./rewrite.ts";

/** Functions of the script, which hide programs. */
export interface PipeRules extends Pick<Rules, "functions" | "commands" | "nextChain" | "statuses" | "parse"> {
  /** Definitions of the functions that a command calls. */
  readonly called: (command: Node) => readonly Node[];
}

/** Where the status of each original command is. `-` is a command of the changed pipe, `.` an inserted one,
 * and what follows a `+` is not a command of the changed pipe. */
type Statuses = readonly string[];

const DEVICE = /^\/dev\/(?:zero|u?random)$/;

/** A rewritten pipe. */
export function sideBySide(pipeline: Node, about: PipeRules): Node {
  const all = pipeline.commands as readonly Node[];
  const [only] = all;
  if (all.length === 1 && only !== undefined) {
    const isEndless = literalName(only) === "yes" && isProgram(only, about);
    return isEndless ? { ...pipeline, commands: [saying(only, ALONE)] } : pipeline;
  }
  // `|&` is left to the interpreter.
  if ((pipeline.pipeStderr as readonly boolean[] | undefined)?.some((each) => each)) return pipeline;
  const live = liveLoop(all, { ...about, isProgram: (command) => isProgram(command, about) });
  if (live !== null) return { ...pipeline, commands: [live] };
  const device = deviceOf(only, about);
  const commands = device === null ? all : [...device, ...all.slice(1)];
  const flowed = intoRow(commands, about);
  const changed = [...(flowed?.commands ?? commands)];
  const statuses = [...(flowed?.statuses ?? changed.map(() => "-"))];
  for (let from = flowed === null ? 0 : 2; from < changed.length; ) {
    let to = from;
    while (to < changed.length && joins(changed[to], to - from, changed.length - 1 - to, about)) to++;
    if (to - from >= 2) {
      const chain = about.nextChain();
      for (let at = from; at < to; at++) statuses[statuses.length - changed.length + at] = `${chain}:${at - from}`;
      tell(changed, from, to, chain);
    }
    from = Math.max(to, from + 1);
  }
  if (device !== null) statuses[0] = ".";
  const { pipeStderr: _, ...rest } = pipeline;
  const whole = { ...rest, commands: changed };
  const isPlain = statuses.every((each) => each === "-");
  return isPlain || !about.statuses ? whole : withStatuses(whole, statuses, about);
}

/** Sets PIPESTATUS for commands that the interpreter's pipe does not contain. */
function withStatuses(pipeline: Node, statuses: Statuses, { parse }: PipeRules): Node {
  const inner = { ...pipeline, negated: false, timed: false };
  const ended = `${OWN.ended} ${statuses.join(" ")} "\${PIPESTATUS[@]}"; __just_bash_tee_restore "\${${OWN.ended}[@]}"`;
  const statement = { type: "Statement", pipelines: [inner], operators: [], background: false };
  return { ...pipeline, commands: [group([statement, ...parse(ended)])] };
}

/** Turns `program < /dev/urandom` into `cat /dev/urandom | program`, because the device is endless. */
function deviceOf(command: Node | undefined, about: PipeRules): readonly Node[] | null {
  if (command === undefined || !isProgram(command, about)) return null;
  const [one, more] = command.redirections as readonly Node[];
  const path = one?.operator === "<" && more === undefined ? literalText(one.target as Node) : null;
  return path !== null && DEVICE.test(path) ? [simple("cat", literal(path)), { ...command, redirections: [] }] : null;
}

function tell(commands: Node[], from: number, to: number, chain: string): void {
  for (let place = from; place < to; place++) {
    const command = commands[place];
    if (command === undefined) continue;
    const stderr = stderrOf(command) ?? "sent";
    const part = { chain, at: place - from, count: to - from, stderr };
    const redirections = stderr === "sent" ? command.redirections : withoutStderr(command);
    commands[place] = { ...saying(command, partWord(part)), redirections };
  }
}

/** Whether a command can run concurrently, with so many before it in the row and behind it in the pipe. */
function joins(command: Node | undefined, before: number, behind: number, about: PipeRules): boolean {
  if (command === undefined || !isProgram(command, about)) return false;
  // The file of `<(…)` exists only while its command runs.
  if (holds(command.args, ({ type }) => type === "ProcessSubstitution")) return false;
  const redirections = command.redirections as readonly Node[];
  const others = stderrOf(command) === null ? redirections : withoutStderr(command);
  return others.every(
    ({ operator, fd }) =>
      (before === 0 && operator === "<" && (fd ?? 0) === 0) ||
      (behind === 0 && [">", ">>"].includes(String(operator)) && (fd ?? 1) === 1),
  );
}

function isProgram(command: Node, { functions, commands }: PipeRules): boolean {
  const name = literalName(command);
  return name !== null && (PROGRAMS.has(name) || commands.has(name)) && !functions.has(name);
}

/** `2>/dev/null` and `2>&1` as the only redirection; else null. */
function stderrOf(command: Node): Part["stderr"] | null {
  const all = command.redirections as readonly Node[];
  const [one, more] = all.filter(({ fd }) => fd === 2);
  if (one === undefined || more !== undefined) return null;
  const text = literalText(one.target as Node);
  if ((one.operator === ">" || one.operator === ">>") && text === "/dev/null") return "dropped";
  return one.operator === ">&" && text === "1" && all.length === 1 ? "printed" : null;
}

function withoutStderr(command: Node): readonly Node[] {
  return (command.redirections as readonly Node[]).filter(({ fd }) => fd !== 2);
}

function saying(command: Node, word: string): Node {
  return { ...command, args: [literal(word), ...(command.args as readonly Node[])] };
}

const LOOPS = new Set(["While", "Until", "For", "CStyleFor"]);
/** A loop whose readers start before it and end it. */
function intoRow(
  commands: readonly Node[],
  about: PipeRules,
): { commands: readonly Node[]; statuses: Statuses } | null {
  const [writer, ...others] = commands;
  if (writer === undefined || isProgram(writer, about)) return null;
  const end = others.findIndex((command, at) => !reads(command, others.length - 1 - at, about));
  const row = end === -1 ? others : others.slice(0, end);
  if (!row.some(isEarly)) return null;
  const called = about.called(writer);
  if (!holds([writer, ...called], ({ type }) => LOOPS.has(type))) return null;
  const chain = about.nextChain();
  const words = row.flatMap((command) => [literal(NEXT), command.name as Node, ...(command.args as readonly Node[])]);
  const [copies, body] = [called, [statementOf(writer)]].map((part) => part.map((each) => flowing(each, chain)));
  const opened = statementOf(simple(OWN.open, literal(chain), ...words));
  const defined = (copies ?? []).map((each) => statementOf(each));
  const stage = { type: "Subshell", body: [opened, ...defined, ...(body ?? [])], redirections: [] };
  const closed = { ...simple(OWN.close, literal(chain)), redirections: row.at(-1)?.redirections ?? [] };
  const statuses = row.map((_, at) => `${at === 0 ? "" : "+"}${chain}:${at}`);
  return { commands: [stage, closed, ...others.slice(row.length)], statuses: ["-", ...statuses] };
}

function reads(command: Node, behind: number, about: PipeRules): boolean {
  const name = literalName(command);
  if (name === null || !programNamed(name).endsLoops || !isProgram(command, about)) return false;
  if (name === "awk" && textsIn(command.args).some((text) => /system|getline|\|/.test(text))) return false;
  const isPlain = (command.redirections as readonly Node[]).every(
    ({ operator, fd }) => behind === 0 && [">", ">>"].includes(String(operator)) && (fd ?? 1) === 1,
  );
  return isPlain && (command.args as readonly Node[]).every(isWordTwice);
}

/** It may stop before the end of its input. */
function isEarly(command: Node): boolean {
  const name = literalName(command) ?? "";
  if (name === "head") return true;
  const some = (pattern: RegExp) => textsIn(command.args).some((text) => pattern.test(text));
  if (name === "awk") return some(/\bexit\b/);
  if (/grep$/.test(name)) return some(/^-(?:\w*[mqlL]\d*|-(?:max-count|quiet|silent|files-with).*)$/);
  return name === "sed" && some(/[qQ]\b/);
}

/** Output is passed on after each statement; each iteration first checks that the reader is still there. */
function flowing(node: Node, chain: string): Node {
  if (node.type === "FunctionDef") return { ...node, body: flowing(node.body as Node, chain) };
  if (node.type !== "Statement") return insides(node, chain);
  const only = onlyCommand(node);
  const isOpen = only !== null && only.type in PARTS && (only.redirections as readonly unknown[]).length === 0;
  if (only !== null && isOpen) return statementOf(insides(only, chain));
  if (only !== null && (only.type === "FunctionDef" || literalName(only) === "exec")) return node;
  return statementOf(group([node], [flow(chain)]));
}

const PARTS: { readonly [type: string]: readonly string[] } = {
  ...{ If: ["clauses", "elseBody"], For: ["body"], CStyleFor: ["body"], While: ["body"], Until: ["body"] },
  ...{ Case: ["items"], Group: ["body"], Subshell: ["body"] },
};

function insides(command: Node, chain: string): Node {
  const parts = (PARTS[command.type] ?? []).map((key) => [key, part(command[key], chain)] as const);
  const inside = Object.fromEntries(parts);
  if (!LOOPS.has(command.type)) return { ...command, ...inside };
  return { ...command, ...inside, body: [asked(chain), ...(inside.body as readonly Node[])] };
}

function part(value: unknown, chain: string): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((each: Node | { readonly body: unknown }) =>
    "type" in each && each.type === "Statement"
      ? flowing(each, chain)
      : { ...each, body: part((each as { readonly body: unknown }).body, chain) },
  );
}

function asked(chain: string): Node {
  const gone = statementOf(simple(OWN.gone, literal(chain)));
  return statementOf(choice([gone], [statementOf(simple("exit", literal(String(ENDED_BY.PIPE))))], null));
}

function flow(chain: string): Node {
  return { type: "Redirection", fd: 1, operator: ">>", target: literal(FLOWS + chain) };
}
