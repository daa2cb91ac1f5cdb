// What read-only commands read. Any other option or program may change something. Pure.

import { programNamed, type Reads } from "../../../abi/programs.ts";
import { onlyReads } from "./awk-program.ts";
import type { Words } from "./plain-line.ts";

/** Names that a command reads, and whether the repository must be checked for programs that git would run. */
export interface Looks {
  readonly names: readonly string[];
  readonly git?: true;
  readonly moves?: string;
}

/** With these options grep takes no pattern word. */
const PATTERN_SAID = /^(?:-[A-Za-z0-9]*e|--regexp|--files$)/;

/** What a read-only command reads; null if the command may do more. */
export function looksOf([program = "", ...args]: Words): Looks | null {
  if (program === "find") return findLooks(args);
  if (program === "sed") return sedLooks(args);
  if (program === "cd") return cdLooks(args);
  if (/^[gmn]?awk$/.test(program)) return awkLooks(args);
  const { versioned, reads } = programNamed(program);
  if (versioned && args.length === 1 && args[0] === "--version") return { names: [] };
  if (program === "git") return gitLooks(args);
  return reads === undefined ? null : readerLooks(reads, args);
}

function readerLooks(reader: Reads, args: Words): Looks | null {
  const { letters = "", long = "", skips = 0, skipped = /^/, namesMax, only } = reader;
  if (only !== undefined) return args.every((arg) => only.test(arg)) ? { names: [] } : null;
  const { flags, words } = divided(args);
  const short = new RegExp(`^-[${letters || "-"}][${letters}0-9]*(?:,[0-9]+)?$`);
  const longs = new Set(long.split(" "));
  const isKnown = (flag: string) =>
    /^-[0-9]+$/.test(flag) || short.test(flag) || (flag.startsWith("--") && longs.has(flag.slice(2).split("=")[0]!));
  if (!flags.every(isKnown)) return null;
  const skipping = flags.some((flag) => PATTERN_SAID.test(flag)) ? 0 : skips;
  if (!words.slice(0, skipping).every((word) => skipped.test(word))) return null;
  const names = words.slice(skipping);
  return namesMax !== undefined && names.length > namesMax ? null : { names };
}

/** Words after `--` are never options; `-` alone is standard input. */
function divided(args: Words): { readonly flags: Words; readonly words: Words } {
  const end = args.indexOf("--");
  const before = end === -1 ? args : args.slice(0, end);
  const isFlag = (arg: string) => arg.startsWith("-") && arg !== "-";
  // The same word on the other side may be a name.
  const after = end === -1 ? [] : args.slice(end + 1).map((arg) => (isFlag(arg) ? `./${arg}` : arg));
  return { flags: before.filter(isFlag), words: [...before.filter((arg) => !isFlag(arg) && arg !== "-"), ...after] };
}

const FIND_VALUED =
  /^-(?:i?name|i?path|i?regex|regextype|type|size|[acm]time|[acm]min|maxdepth|mindepth|perm|user|group)$/;
const FIND_ALONE =
  /^(?:-print0?|-not|!|-o|-or|-a|-and|-prune|-empty|-depth|-xdev|-mount|-quit|-ls|-true|-false|\(|\))$/;

function findLooks(args: Words): Looks | null {
  const begins = args.findIndex((arg) => /^[-!(]/.test(arg));
  const names = begins === -1 ? args : args.slice(0, begins);
  const tests = begins === -1 ? [] : args.slice(begins);
  for (let at = 0; at < tests.length; at++) {
    if (FIND_VALUED.test(tests[at]!)) at++;
    else if (!FIND_ALONE.test(tests[at]!)) return null;
  }
  return { names };
}

/** Line numbers and replacements that neither write nor run their result. */
const SED = /^(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?[pdq=]|s\/[^/\\\n&]*\/[^/\\\n&]*\/[gip0-9]*)$/;

function sedLooks(args: Words): Looks | null {
  const words = args.filter((arg) => !/^-(?:n|E|r|nE|En|nr|rn)$/.test(arg));
  const [script = "", ...names] = words;
  return SED.test(script) && names.every((name) => !name.startsWith("-")) ? { names } : null;
}

/** One named directory: not home, not the previous one. */
function cdLooks(args: Words): Looks | null {
  const [to] = args;
  return to === undefined || args.length > 1 || /^[-~]/.test(to) ? null : { names: [to], moves: to };
}

/** Separator and variables, then a program, then files. */
function awkLooks(args: Words): Looks | null {
  let at = 0;
  for (let arg = args[0]; arg?.startsWith("-"); arg = args[at]) {
    if (/^-F./.test(arg)) at++;
    else if (arg === "-F" || (arg === "-v" && /^[a-z_]\w*=|^O?FS=/.test(args[at + 1] ?? ""))) at += 2;
    else return null;
  }
  const [program, ...names] = args.slice(at);
  const isFile = (name: string) => !/^-|=/.test(name);
  return program !== undefined && onlyReads(program) && names.every(isFile) ? { names } : null;
}

const COMMITS =
  /^(?:-\d+|-n|-n\d+|-p|-s|-w|-b|-U\d+|--(?:oneline|stat|shortstat|numstat|graph|all|name-only|name-status|decorate|no-decorate|first-parent|no-merges|merges|reverse|cached|staged|check|summary|no-color|abbrev-commit|date=\w+|since=[\w .:-]+|until=[\w .:-]+|author=[\w .@-]+|grep=[\w .:-]+|(?:format|pretty)=[\w %:,.()|-]+|max-count=\d+|word-diff|no-patch|patch|unified=\d+))$/;
const GIT: { readonly [subcommand: string]: { readonly flags: RegExp; readonly words?: RegExp } } = {
  status: { flags: /^(?:-s|-b|-sb|-uno|-unormal|-uall|--short|--branch|--porcelain(?:=v[12])?|--ignored)$/ },
  log: { flags: COMMITS },
  diff: { flags: COMMITS },
  show: { flags: COMMITS },
  blame: { flags: /^(?:-L|-L\d+,\+?\d+|-w|-s|--porcelain)$/ },
  branch: { flags: /^(?:-a|-r|-v|-vv|--show-current|--list|--all)$/, words: /(?!)/ },
  remote: { flags: /^-v$/, words: /(?!)/ },
  tag: { flags: /^(?:-l|--list)$/, words: /(?!)/ },
  stash: { flags: /(?!)/, words: /^list$/ },
  describe: { flags: /^--(?:tags|always|long|all)$/ },
  "rev-parse": { flags: /^--(?:short|abbrev-ref|show-toplevel|is-inside-work-tree|verify)$/ },
  "ls-files": { flags: /^(?:-o|-m|-c|--others|--modified|--cached|--exclude-standard)$/ },
  shortlog: { flags: /^-[sne]+$/ },
};

/** Only `git SUBCOMMAND …`: options before it can name programs to run. */
function gitLooks([subcommand = "", ...args]: Words): Looks | null {
  const rules = Object.hasOwn(GIT, subcommand) ? GIT[subcommand] : undefined;
  if (rules === undefined) return null;
  const { flags, words } = divided(args);
  if (!flags.every((flag) => rules.flags.test(flag))) return null;
  if (!words.every((word) => (rules.words ?? /^/).test(word))) return null;
  if (subcommand === "stash" && words.length !== 1) return null;
  return { names: words, git: true };
}
