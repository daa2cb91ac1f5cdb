// A script taken apart into the commands it would run: those of pipelines, lists, loops and functions, inside substitutions, and those that
// other commands run for it (env, xargs, find -exec, sh -c …). What is worked out only when it runs is said to be so. Pure; the syntax tree
// comes from the interpreter's own parser.

/** Null: worked out when it runs. */
export type Word = string | null;

export interface Part {
  readonly words: readonly Word[];
  /** Commands it was found behind: `sudo`, `xargs`. */
  readonly behind: readonly string[];
}

export interface ShellParts {
  readonly parts: readonly Part[];
  /** A redirection writes a file. */
  readonly writes: boolean;
  /** Something of it is text that is run without being read here. */
  readonly unread: boolean;
}

export type ParseShell = (text: string) => unknown;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const DEPTH_MAX = 6;

/** Null where it is no script, or none that can be read. */
export function shellParts(text: string, parse: ParseShell): ShellParts | null {
  try {
    const taking = new Taking(parse);
    // The parser takes away more than the line's end.
    taking.script(text.replaceAll("\\\n", ""), [], 0);
    return { parts: taking.parts, writes: taking.writes, unread: taking.unread };
  } catch {
    return null;
  }
}

/** The same for one command whose words are known: it and what it runs. */
export function partsOf(words: readonly Word[], parse: ParseShell): ShellParts | null {
  try {
    const taking = new Taking(parse);
    taking.command(words, [], 0);
    return { parts: taking.parts, writes: taking.writes, unread: taking.unread };
  } catch {
    return null;
  }
}

/** These add nothing to what they run. */
const TRANSPARENT = /^(?:nice|ionice|nohup|setsid|stdbuf|timeout|time|command|builtin)$/;

class Taking {
  readonly parts: Part[] = [];
  writes = false;
  unread = false;

  constructor(private readonly parse: ParseShell) {}

  script(text: string, behind: readonly string[], depth: number): void {
    if (depth > DEPTH_MAX) this.unread = true;
    else this.walk(this.parse(text), behind, depth);
  }

  private walk(value: unknown, behind: readonly string[], depth: number): void {
    if (Array.isArray(value)) for (const each of value) this.walk(each, behind, depth);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    // It is text that the parser gave up on.
    if ((value as { deferredError?: unknown }).deferredError !== undefined) throw new Error("no script");
    if (isNode(value)) {
      if (value.type === "SimpleCommand" && isNode(value.name)) this.command(wordsOf(value), behind, depth);
      if (value.type === "Redirection") this.redirection(value);
      // Figures are not taken apart here.
      if (value.type.startsWith("Arith") && /[`$]|\[/.test(JSON.stringify(value))) this.unread = true;
    }
    for (const each of Object.values(value)) this.walk(each, behind, depth);
  }

  private redirection({ operator, target }: Node): void {
    const file = isNode(target) && target.type === "Word" ? textOf(target) : null;
    const copiesStream = (operator === ">&" || operator === "<&") && file !== null && /^(?:\d+-?|-)$/.test(file);
    if (typeof operator === "string" && /[>]/.test(operator) && !copiesStream && file !== "/dev/null")
      this.writes = true;
  }

  command(words: readonly Word[], behind: readonly string[], depth: number): void {
    const [name = null] = words;
    const program = name === null ? "" : programOf(name);
    const inner = innerOf(program, words.slice(1));
    const isOnlyInner = inner?.kind === "words" && inner.words.length > 0 && TRANSPARENT.test(program);
    if (!isOnlyInner) this.parts.push({ words, behind });
    if (inner === null) return;
    if (inner.kind === "unread") this.unread = true;
    else if (inner.kind === "script") this.script(inner.text, [...behind, program], depth + 1);
    else if (inner.words.length > 0 && depth < DEPTH_MAX) this.command(inner.words, [...behind, program], depth + 1);
  }
}

type Inner =
  | { readonly kind: "words"; readonly words: readonly Word[] }
  | { readonly kind: "script"; readonly text: string }
  | { readonly kind: "unread" };

const UNREAD: Inner = { kind: "unread" };
/** Options of these that take a word of their own. */
const WRAPPERS: { readonly [program: string]: RegExp } = {
  sudo: /^-(?:[ugphCDRrTt]|-user|-group)$/,
  doas: /^-[uC]$/,
  nice: /^(?:-n|--adjustment)$/,
  ionice: /^-[cnp]$/,
  nohup: /(?!)/,
  setsid: /(?!)/,
  stdbuf: /^-[ioe]$/,
  time: /^-[fo]$/,
  timeout: /^(?:-[sk]|--signal|--kill-after)$/,
  command: /(?!)/,
  builtin: /(?!)/,
  exec: /^-a$/,
  env: /^(?:-[uCS]|--unset|--chdir)$/,
  xargs: /^-[adEeIiLlnPs]$/,
  busybox: /(?!)/,
  toybox: /(?!)/,
  watch: /^-[nd]$/,
  strace: /^-[eopsEu]$/,
  chroot: /(?!)/,
  flock: /^-[wE]$/,
  unshare: /(?!)/,
  chrt: /(?!)/,
  taskset: /(?!)/,
};
/** These take a word of their own before the command. */
const WORDS_BEFORE: { readonly [program: string]: number } = { timeout: 1, chroot: 1, flock: 1, chrt: 1, taskset: 1 };
const SHELLS = /^(?:ba|da|k|z|a|fi|c|tc|)sh$/;
const READS_TEXT =
  /^(?:eval|source|\.|trap|alias|python[\d.]*|perl|ruby|node|bun|deno|php|lua|awk|gawk|mawk|nawk|parallel|script|su|ssh|expect|vim?|ed|emacs|nvim|osascript)$/;

/** What a command runs that it is told to; null for most. */
function innerOf(program: string, args: readonly Word[]): Inner | null {
  if (SHELLS.test(program)) return shellInner(args);
  if (program === "eval") return scriptOf(args);
  if (program === "trap" || program === "alias") return args.length === 0 ? null : UNREAD;
  if (READS_TEXT.test(program)) return UNREAD;
  if (program === "find" || program === "fd") return execInner(args);
  if (program === "env" && args.some((arg) => arg === null || /^(?:-S|--split-string)/.test(arg))) return UNREAD;
  const valued = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (valued === undefined) return null;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at];
    if (arg === null || arg === undefined) return UNREAD;
    if (valued.test(arg)) at++;
    else if (!/^-./.test(arg) && !(program === "env" && /^\w+=/.test(arg))) break;
    else if (arg === "--") {
      at++;
      break;
    }
  }
  return { kind: "words", words: args.slice(at + (WORDS_BEFORE[program] ?? 0)) };
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

/** A program by its name, wherever it lies. */
export function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function wordsOf({ name, args }: Node): readonly Word[] {
  return [name as Node, ...(args as readonly Node[])].map(textOf);
}

/** The text of a word that is always the same. */
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
