// Commands that would remove a whole home or workspace: they ask in every mode, whatever a rule allows. Reads the text, not the syntax tree:
// a mistake only asks once more. Pure.

import { normalise } from "../../../../fs/path.ts";
import { programNamed } from "../../../abi/programs.ts";
import { isInside } from "../../../lib/inside.ts";
import { programOf } from "./shell-parts.ts";

export interface Ground {
  /** Where the command runs. */
  readonly cwd: string;
  /** The directory of this computer that the process works in; null in gsv. */
  readonly directory: string | null;
  /** Directories of this computer that have a path in gsv, by their real paths. */
  readonly attached?: readonly string[];
}

/** The place that the command would empty, as it is written; null for most. */
export function emptiedPlace(text: string, ground: Ground): string | null {
  const isCertain = !/[({]/.test(text) && count(text, /\bcd\b/g) === count(text, SURE_CD);
  let places: readonly string[] = [ground.cwd];
  /** Names that a pipe or a loop passes on. */
  let passed: { readonly by: "pipe" | "loop"; readonly place: string } | null = null;
  for (const words of statementsOf(text)) {
    const at = words.findIndex((word) => !leadsOn(word));
    const program = programOf(words[at] ?? "");
    const args = words.slice(at + 1);
    if (program === "cd") {
      const to = args.find((arg) => !arg.startsWith("-")) ?? "~";
      const moved = places.map((place) => placeOf(to, place));
      places = isCertain ? moved : [...places, ...moved];
      continue;
    }
    const whole = (operand: string) => places.some((place) => isWhole(contentsOf(operand, place), ground));
    const removes = REMOVES.test(program) || isOwnRemoval(words);
    const found = removes ? removed(words, whole) : program === "find" ? swept(args, whole) : null;
    if (found !== null) return found;
    const takes = words.slice(0, at).includes("xargs") ? "pipe" : args.some(isUnknown) ? "loop" : null;
    if (removes && takes !== null && takes === passed?.by) return passed.place;
    const place = words[0] === "for" ? (words.find(whole) ?? null) : listed(program, args, whole);
    if (place !== null) passed = { by: words[0] === "for" ? "loop" : "pipe", place };
    else if (programNamed(program).names !== "passes" && passed?.by === "pipe") passed = null;
  }
  return null;
}

/** A `cd` after which the line only goes on in that directory. */
const SURE_CD = /\bcd\s+[^;&|\n]+(?:&&|\|\|\s*(?:exit|return))/g;
const REMOVES = /^(?:rm|unlink|shred|delete|remove)$/;
/** Words of gsv before its own verbs, and of the shell before a command. */
const LEADS = /^(?:gsv|fs|then|do|else|elif|if|while|until|!|eval)$/;
const NARROWS = /^-(?:i?name|i?path|i?wholename|i?regex|[acm](?:time|min)|newer\w*|size|empty|samefile|inum)$/;

/** Whether a command may follow the word. */
function leadsOn(word: string): boolean {
  if (LEADS.test(word) || /^-|^\w+=|^[\d.]+[smhd]?$/.test(word)) return true;
  const { wraps, runs } = programNamed(programOf(word));
  return wraps !== undefined || runs === "script";
}

function isOwnRemoval(words: readonly string[]): boolean {
  return words[0] === "gsv" && words.slice(1, 3).some((word) => REMOVES.test(word));
}

/** The statements of the text, without quotes, with `~` for the home. */
function statementsOf(text: string): readonly (readonly string[])[] {
  return text
    .replaceAll("\\\n", "")
    .replaceAll(/["'\\]/g, "")
    .replaceAll(/\$\{?HOME\b\}?/g, "~")
    .replaceAll(/\$\{?PWD\b\}?/g, ".")
    .split(/[;&|\n`()]+|(?<=\s)[{}](?=\s|$)/)
    .map((statement) => statement.split(/\s+/).filter((word) => word !== ""))
    .filter((words) => words.length > 0);
}

function removed(words: readonly string[], whole: (operand: string) => boolean): string | null {
  const operands = words.filter((word) => /[*~/.]/.test(word) && !word.startsWith("-"));
  const isDeep = words.some((word) => /^-(?:[a-zA-Z]*[rR]|-recursive)/.test(word));
  return operands.find((operand) => (isDeep || /\*/.test(operand)) && whole(operand)) ?? null;
}

function swept(args: readonly string[], whole: (operand: string) => boolean): string | null {
  const end = args.findIndex((arg) => /^[-!]/.test(arg) && !/^-[HLP]$/.test(arg));
  const named = end === -1 ? args : args.slice(0, end);
  const tests = end === -1 ? [] : args.slice(end);
  const isRemoval =
    tests.includes("-delete") ||
    tests.some((test, at) => /^-exec|^-ok/.test(test) && REMOVES.test(programOf(tests[at + 1] ?? "")));
  const isNarrow = tests.some((test, at) => NARROWS.test(test) && !/^(?:!|-not)$/.test(tests[at - 1] ?? ""));
  if (!isRemoval || isNarrow) return null;
  const from = named.filter((name) => !name.startsWith("-"));
  return (from.length === 0 ? ["."] : from).find(whole) ?? null;
}

/** The place whose names a program prints. */
function listed(program: string, args: readonly string[], whole: (operand: string) => boolean): string | null {
  if (programNamed(program).names !== "lists" || args.some((arg) => NARROWS.test(arg))) return null;
  const named = args.filter((arg) => !arg.startsWith("-"));
  return (named.length === 0 ? ["."] : named).find(whole) ?? null;
}

function isUnknown(word: string): boolean {
  return /\$|^\{\}$/.test(word);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The directory of an operand such as `~/*`, `.` or `/home/sam/`. */
function contentsOf(operand: string, place: string): string {
  return placeOf(
    operand.replace(/(?:^|\/)(?=[^/]*\*)[*?.![\]^{},]+\/?$/, (all) => (all.startsWith("/") ? "/" : ".")),
    place,
  );
}

/** Absolute, or below `~`. */
function placeOf(name: string, place: string): string {
  const whole = /^[/~]/.test(name) ? name : `${place}/${name}`;
  if (!whole.startsWith("~")) return normalise(whole);
  const [home = "~", ...rest] = whole.split("/");
  const names: string[] = [];
  for (const each of rest) {
    // Above a home are all homes.
    if (each === ".." && names.pop() === undefined) return "/home";
    if (each !== ".." && each !== "." && each !== "") names.push(each);
  }
  return [home, ...names].join("/");
}

function isWhole(place: string, { directory, attached = [] }: Ground): boolean {
  if (/^~[^/]*$/.test(place) || /^(?:\/|\/root|\/(?:home|Users|workspaces)(?:\/[^/]+)?)$/.test(place)) return true;
  return attached.includes(place) || (directory !== null && isInside(directory, place));
}
