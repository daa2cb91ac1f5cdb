// Splits a script into the commands that it would run: those in pipelines, lists, loops and functions, in substitutions, and those that
// other commands run (env, xargs, find -exec, sh -c …). Reports what is only known at run time. Pure; the interpreter's own parser makes
// the syntax tree.

import { programNamed } from "../../../abi/programs.ts";

/** null if only known at run time. */
export type Word = string | null;

export interface Part {
  readonly words: readonly Word[];
  /** Programs that run it, such as `sudo` and `xargs`. */
  readonly wrappers: readonly string[];
}

export interface ShellParts {
  readonly parts: readonly Part[];
  readonly writes: boolean;
  /** Part of it is text that runs without being parsed here. */
  readonly unread: boolean;
}

export type ParseShell = (text: string) => unknown;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const DEPTH_MAX = 6;

export function shellParts(text: string, parse: ParseShell): ShellParts | null {
  try {
    const splitter = new Splitter(parse);
    // The parser would remove more than the line break.
    splitter.script(text.replaceAll("\\\n", ""), [], 0);
    return { parts: splitter.parts, writes: splitter.writes, unread: splitter.unread };
  } catch {
    return null;
  }
}

export function partsOf(words: readonly Word[], parse: ParseShell): ShellParts | null {
  try {
    const splitter = new Splitter(parse);
    splitter.command(words, [], 0);
    return { parts: splitter.parts, writes: splitter.writes, unread: splitter.unread };
  } catch {
    return null;
  }
}

/** True for wrappers that only run their command. */
export function isTransparent(program: string): boolean {
  return programNamed(program).wraps?.isTransparent === true;
}

class Splitter {
  readonly parts: Part[] = [];
  writes = false;
  unread = false;

  constructor(private readonly parse: ParseShell) {}

  script(text: string, wrappers: readonly string[], depth: number): void {
    if (depth > DEPTH_MAX) this.unread = true;
    else this.walk(this.parse(text), wrappers, depth);
  }

  private walk(value: unknown, wrappers: readonly string[], depth: number): void {
    if (Array.isArray(value)) for (const each of value) this.walk(each, wrappers, depth);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    // The parser could not parse this text.
    if ((value as { deferredError?: unknown }).deferredError !== undefined) throw new Error("no script");
    if (isNode(value)) {
      if (value.type === "SimpleCommand" && isNode(value.name))
        this.command([value.name, ...(value.args as readonly Node[])].map(textOf), wrappers, depth);
      if (value.type === "Redirection") this.redirection(value);
      // Arithmetic is not parsed here.
      if (value.type.startsWith("Arith") && /[`$]|\[/.test(JSON.stringify(value))) this.unread = true;
    }
    for (const each of Object.values(value)) this.walk(each, wrappers, depth);
  }

  private redirection({ operator, target }: Node): void {
    const file = isNode(target) && target.type === "Word" ? textOf(target) : null;
    const copiesStream = (operator === ">&" || operator === "<&") && file !== null && /^(?:\d+-?|-)$/.test(file);
    if (typeof operator === "string" && /[>]/.test(operator) && !copiesStream && file !== "/dev/null")
      this.writes = true;
  }

  command(words: readonly Word[], wrappers: readonly string[], depth: number): void {
    const [name = null] = words;
    const program = name === null ? "" : programOf(name);
    const inner = innerOf(program, words.slice(1));
    const isOnlyInner = inner?.kind === "words" && inner.words.length > 0 && isTransparent(program);
    if (!isOnlyInner) this.parts.push({ words, wrappers });
    if (inner === null) return;
    if (inner.kind === "unread") this.unread = true;
    else if (inner.kind === "script") this.script(inner.text, [...wrappers, program], depth + 1);
    else if (inner.words.length > 0 && depth < DEPTH_MAX) this.command(inner.words, [...wrappers, program], depth + 1);
  }
}

type Inner =
  | { readonly kind: "words"; readonly words: readonly Word[] }
  | { readonly kind: "script"; readonly text: string }
  | { readonly kind: "unread" };

const UNREAD: Inner = { kind: "unread" };
/** The command or script that a program runs; null for most. */
function innerOf(program: string, args: readonly Word[]): Inner | null {
  const { runs, wraps } = programNamed(program);
  if (runs === "script") return shellInner(args);
  if (program === "eval") return scriptOf(args);
  if (program === "trap" || program === "alias") return args.length === 0 ? null : UNREAD;
  if (runs === "text") return UNREAD;
  if (program === "find" || program === "fd") return execInner(args);
  if (program === "env" && args.some((arg) => arg === null || /^(?:-S|--split-string)/.test(arg))) return UNREAD;
  if (wraps === undefined) return null;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at];
    if (arg === null || arg === undefined) return UNREAD;
    if (wraps.valued?.test(arg)) at++;
    else if (!/^-./.test(arg) && !(program === "env" && /^\w+=/.test(arg))) break;
    else if (arg === "--") {
      at++;
      break;
    }
  }
  return { kind: "words", words: args.slice(at + (wraps.words ?? 0)) };
}

function shellInner(args: readonly Word[]): Inner {
  const at = args.findIndex((arg) => arg !== null && /^-[a-z]*c$/.test(arg));
  const text = at === -1 ? undefined : args[at + 1];
  return typeof text === "string" ? { kind: "script", text } : UNREAD;
}

function scriptOf(args: readonly Word[]): Inner {
  return args.every((arg) => arg !== null) ? { kind: "script", text: args.join(" ") } : UNREAD;
}

function execInner(args: readonly Word[]): Inner | null {
  const at = args.findIndex(
    (arg) => arg !== null && /^(?:-(?:exec|execdir|ok|okdir|x|X)|--exec(?:-batch)?)$/.test(arg),
  );
  return at === -1 ? null : { kind: "words", words: args.slice(at + 1).filter((arg) => arg !== ";" && arg !== "+") };
}

export function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Text of a word; null if it depends on the run. */
function textOf({ parts }: Node): Word {
  let text = "";
  for (const part of (parts ?? []) as readonly Node[]) {
    const piece = part.type === "DoubleQuoted" ? textOf(part) : staticText(part);
    if (piece === null) return null;
    text += piece;
  }
  return text;
}

function staticText({ type, value }: Node): Word {
  const isStatic = type === "Literal" || type === "SingleQuoted" || type === "Escaped";
  return isStatic && typeof value === "string" ? value : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
