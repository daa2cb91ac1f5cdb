// Commands of the terminal itself, typed after a slash: one entry each. What they run is a line of the shell about the process one talks to,
// or something that only a terminal can do. Every other word after a slash is a gsv command; the few of those that are views here are one
// without a slash too. Pure.

import { initPid, isPid } from "../../src/abi/ids.ts";
import { THEMES, type ThemeName } from "../screen/theme.ts";
import type { Effect, Entry, Reduced } from "../state/effect.ts";
import type { Menu } from "../state/line.ts";
import type { State } from "../state/state.ts";
import { openedPicker, openedStrace, openedTop } from "../views/views.ts";
import { type Past, pastRows } from "./history.ts";
import { simpleWords } from "./simple.ts";

export type Slash = { readonly summary: string } & (
  | { readonly line: (pid: string, rest: string) => string }
  | { readonly does: (state: State, rest: string) => Reduced }
);

const about = (name: string) => (pid: string, rest: string) =>
  (isPid(rest.split(/\s/)[0] ?? "") ? `${name} ${rest}` : `${name} ${pid} ${rest}`).trim();
const effect = (of: Effect) => (state: State) => ({ state, effects: [of] });

export const SLASHES: ReadonlyMap<string, Slash> = new Map<string, Slash>([
  ["help", { line: (_pid, rest) => `help ${rest}`.trim(), summary: "commands, pages, topics" }],
  ["keys", { does: (state) => stay({ ...state, keysShown: true }), summary: "what the keys do" }],
  ["top", { does: openedTop, summary: "the processes, live" }],
  ["go", { does: (state) => openedPicker(state, "process"), summary: "another process, from a list" }],
  ["attach", { does: attached, summary: "another: PID [--read-only]" }],
  ["new", { does: (state, rest) => ({ state, effects: [{ do: "new", rest }] }), summary: "a new process: [WORDS]" }],
  ["strace", { does: traced, summary: "the calls it makes, live" }],
  ["approvals", { does: approvals, summary: "what waits for your answer" }],
  ["model", { does: model, summary: "who answers; choose another" }],
  ["mode", { line: about("mode"), summary: "plan, ask, auto-edit or yolo" }],
  ["compact", { line: about("compact"), summary: "tell older history in short" }],
  ["context", { line: (pid, rest) => `prompt ${pid} --bars ${rest}`.trim(), summary: "what fills the next turn" }],
  ["cost", { line: (pid) => `usage --pid ${pid}`, summary: "what this process has used" }],
  ["undo", { line: about("undo"), summary: "take back the last run's changes" }],
  ["diff", { line: about("diff"), summary: "what the last run changed" }],
  [
    "export",
    {
      line: exported,
      summary: "the talk as a file, .md or .json",
    },
  ],
  ["theme", { does: themed, summary: "light, dark, auto or none" }],
  ["clear", { does: effect({ do: "push-up" }), summary: "an empty screen, nothing lost" }],
  ["quit", { does: effect({ do: "leave" }), summary: "leave; agents go on" }],
  ["exit", { does: effect({ do: "leave" }), summary: "the same" }],
]);

/** Which of them a line may become that is only a slash and letters so far; null where it is none, or is one already. */
export function slashMenu(typed: string): Menu | null {
  if (!/^\/[a-z]*$/.test(typed)) return null;
  const candidates = [...SLASHES].flatMap(([name, { summary }]) => {
    return `/${name}`.startsWith(typed) ? [{ text: `/${name} `, note: summary }] : [];
  });
  if (candidates.length === 0 || (candidates.length === 1 && SLASHES.has(typed.slice(1)))) return null;
  return { from: 0, candidates, at: null };
}

/** About the process one talks to where they name none: a person sees no other. */
const ABOUT_THIS: ReadonlySet<string> = new Set(["compact", "diff", "mode", "model", "rewind", "undo"]);

/** Null where it is none of the terminal's own. */
export function onSlash(state: State, word: string, rest: string): Reduced | null {
  const slash = SLASHES.get(word);
  if (slash === undefined) return null;
  if ("does" in slash) return slash.does(state, rest.trim());
  return { state, effects: ran(slash.line(state.pid, rest), false) };
}

/** Lines that are views here, as they are typed; null where it is one for the shell. */
export function ownLine(state: State, line: string): Reduced | null {
  const [first = "", ...rest] = simpleWords(line) ?? [];
  if (first === "top" && rest.length === 0) return openedTop(state);
  if (first === "gsv" && rest.length === 0)
    return told(state, "this is gsv: ? shows the keys, help lists the commands");
  if (first === "history" && /^(?:\d{1,6})?$/.test(rest.join(" "))) return typedBefore(state, rest[0] ?? null);
  if (first === "attach") return isAttach(rest) ? attached(state, rest.join(" ")) : null;
  if (ABOUT_THIS.has(first) && isAboutThis(rest))
    return (
      onSlash(state, first, rest.join(" ")) ?? { state, effects: ran(about(first)(state.pid, rest.join(" ")), false) }
    );
  return first === "strace" ? straceOf(state, rest) : null;
}

const PAST_SHOWN = 30;

/** As in every shell what was typed; what was said is told of, too: that is what the command of that name is about elsewhere. */
function typedBefore(state: State, count: string | null): Reduced {
  const lines = pastRows(state.past, Number(count ?? PAST_SHOWN));
  const told = `what was said to ${state.pid}: history show${state.pid === initPid(state.who.uid) ? "" : ` ${state.pid}`}`;
  const notes: readonly Entry[] = [
    { kind: "ran", text: count === null ? "history" : `history ${count}`, host: false },
    { kind: "lines", lines },
    { kind: "note", text: told },
  ];
  return { state, effects: notes.map((entry) => ({ do: "print", entry })) };
}

export function ran(text: string, host: boolean, entry: Past | null = null): readonly Effect[] {
  return [
    { do: "print", entry: { kind: "ran", text, host } },
    { do: "run", text, host, entry },
  ];
}

/** Named after whose it is, where no name is given. */
function exported(pid: string, rest: string): string {
  const named = rest.split(/\s+/).some((word) => word !== "" && !word.startsWith("-"));
  return `history export --pid ${pid} ${named ? rest : `${pid.replace(":", "-")}.md ${rest}`}`.trim();
}

/** Of processes, files and more they are for the command. */
function isAboutThis(words: readonly string[]): boolean {
  return !words.some((word) => isPid(word) || /^(?:-h|--help|[~.]?\/.*|%.*)$/.test(word) || /\s/.test(word));
}

function isAttach(words: readonly string[]): boolean {
  return words.every((word) => word === "--read-only" || isPid(word)) && words.some(isPid);
}

function attached(state: State, rest: string): Reduced {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  const pid = words.find((word) => !word.startsWith("--")) ?? initPid(state.who.uid);
  return { state, effects: [{ do: "attach", pid, readOnly: words.includes("--read-only") }] };
}

function traced(state: State, rest: string): Reduced {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  return straceOf(state, words) ?? { state, effects: ran(`strace ${rest}`, false) };
}

/** One process, the one that is talked to where none is named, at most with a choice of calls: more is for the command. */
function straceOf(state: State, words: readonly string[]): Reduced | null {
  let pid: string | null = null;
  let expression = "";
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const next = words[at + 1] ?? "";
    if (isPid(word) && pid === null) pid = word;
    else if (word === "-p" && isPid(next) && pid === null) {
      pid = next;
      at++;
    } else if (word === "-e" && next !== "") {
      expression = next.replace(/^trace=/, "");
      at++;
    } else return null;
  }
  return openedStrace(state, pid ?? state.pid, expression);
}

function approvals(state: State, rest: string): Reduced {
  if (rest !== "") return { state, effects: ran(`approvals ${rest}`, false) };
  return state.asks.length === 0 ? told(state, "nothing waits for you") : openedPicker(state, "approval");
}

function model(state: State, rest: string): Reduced {
  if (rest === "") return openedPicker(state, "model");
  return { state, effects: ran(`model ${state.pid} ${rest}`, false) };
}

function themed(state: State, rest: string): Reduced {
  if (rest === "") return openedPicker(state, "theme");
  if (rest in THEMES) return { state, effects: [{ do: "theme", name: rest as ThemeName }] };
  return told(state, `no theme is named ${rest}: ${Object.keys(THEMES).join(", ")}`);
}

function told(state: State, text: string): Reduced {
  return { state, effects: [{ do: "print", entry: { kind: "note", text } }] };
}

function stay(state: State): Reduced {
  return { state, effects: [] };
}
