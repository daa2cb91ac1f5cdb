// Slash commands, one entry each: a line of the shell about the attached process, or something that only a terminal can do. Any other word
// after a slash is a gsv command; /SERVER:PROMPT is a prompt of an MCP server. A few lines without a slash are views here too. Pure.

import { COMMANDS } from "../../commands/table.ts";
import { initPid, isPid } from "../../src/abi/ids.ts";
import { processName } from "../../src/abi/process/process-name.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { THEMES, type ThemeName } from "../screen/theme.ts";
import { act, type Effect, note, only, print, type Reduced, ran, typedLine } from "../state/effect.ts";
import type { Menu } from "../state/line.ts";
import { type State, set } from "../state/state.ts";
import { leaving, warnedOfStopped } from "../talk/jobs.ts";
import { openedPicker, openedStrace, openedTop } from "../views/views.ts";
import { pastRows } from "./history.ts";
import { simpleWords } from "./simple.ts";

export type Slash = { readonly summary: string } & (
  | { readonly line: (pid: string, rest: string) => string }
  | { readonly does: (state: State, rest: string) => Reduced }
);

const about = (name: string) => (pid: string, rest: string) =>
  (isPid(rest.split(/\s/)[0] ?? "") ? `${name} ${rest}` : `${name} ${pid} ${rest}`).trim();
const effect = (of: Effect) => (state: State) => act(state, of);

export const SLASHES: ReadonlyMap<string, Slash> = new Map<string, Slash>([
  ["help", { line: (_pid, rest) => `help ${rest}`.trim(), summary: "list commands and topics" }],
  ["keys", { does: (state) => only(set(state, "overlay", { keysShown: true })), summary: "show the keys" }],
  ["top", { does: openedTop, summary: "show processes, live" }],
  ["go", { does: (state) => openedPicker(state, "process"), summary: "switch to another process" }],
  ["attach", { does: attached, summary: "attach to PID [--read-only]" }],
  ["new", { does: (state, rest) => act(state, { do: "new", rest }), summary: "start a process [PROMPT]" }],
  ["strace", { does: traced, summary: "trace calls, live" }],
  ["approvals", { does: approvals, summary: "list pending approvals" }],
  ["sched", { does: schedules, summary: "list schedules" }],
  ["mcp", { does: servers, summary: "list MCP servers" }],
  ["model", { does: model, summary: "show or switch the model" }],
  ["mode", { line: about("mode"), summary: "plan, ask, accept-edits or yolo" }],
  ["compact", { line: about("compact"), summary: "summarize older history" }],
  ["context", { line: (pid, rest) => `prompt ${pid} --bars ${rest}`.trim(), summary: "show what fills the context" }],
  ["cost", { line: (pid) => `usage --pid ${pid}`, summary: "show tokens and cost" }],
  ["undo", { line: about("undo"), summary: "undo the last run's changes" }],
  ["redo", { line: (pid, rest) => `undo ${pid} --redo ${rest}`.trim(), summary: "revert the last undo" }],
  ["diff", { line: about("diff"), summary: "show the last run's changes" }],
  ["export", { line: exported, summary: "save the chat as .md or .json" }],
  ["theme", { does: themed, summary: "set light, dark, auto or none" }],
  ["clear", { does: effect({ do: "push-up" }), summary: "clear the screen" }],
  ["quit", { does: leaving, summary: "leave; agents keep running" }],
]);

/** The slash commands that begin with the typed letters; null if the line is none, or is one already. */
export function slashMenu(typed: string): Menu | null {
  if (!/^\/[a-z]*$/.test(typed)) return null;
  const candidates = [...SLASHES].flatMap(([name, { summary }]) => {
    return `/${name}`.startsWith(typed) ? [{ text: `/${name} `, note: summary }] : [];
  });
  if (candidates.length === 0 || (candidates.length === 1 && SLASHES.has(typed.slice(1)))) return null;
  return { from: 0, candidates, at: null };
}

/** Without a pid these are about the attached process. */
const ABOUT_ATTACHED: ReadonlySet<string> = new Set(["compact", "diff", "mode", "model", "rewind", "undo"]);
/** These take a process as their only word. */
const SHOW_ATTACHED: ReadonlySet<string> = new Set(["caps", "logs", "nice", "perf", "pmap", "prompt"]);
const HISTORY_OF_ATTACHED: ReadonlyMap<string, string> = new Map([
  ["show", "--pid "],
  ["export", "--pid "],
  ["segments", ""],
]);

/** null if there is no such slash command. */
export function onSlash(state: State, word: string, rest: string): Reduced | null {
  const [server = "", prompt] = word.split(/:(.*)/s);
  if (prompt !== undefined)
    return act(state, ...ran(`mcp prompt ${server} ${quoted(prompt)} ${rest} --pid ${state.process.pid}`));
  const slash = SLASHES.get(word);
  if (slash === undefined) return null;
  if ("does" in slash) return slash.does(state, rest.trim());
  return act(state, ...ranAbout(state, slash.line(state.process.pid, rest)));
}

/** The transcript shows the line as one types it: without the pid of the attached process. */
function ranAbout({ process: { pid } }: State, text: string): readonly Effect[] {
  const [first = ""] = text.split(" ");
  const isAbout = ABOUT_ATTACHED.has(first) || SHOW_ATTACHED.has(first) || first === "history";
  const shown = isAbout ? text.replace(/ --pid(?= )/, "").replace(` ${pid}`, "") : text;
  return [typedLine(shown), { do: "run", text, host: false, entry: null }];
}

/** Lines that the terminal handles itself; null if the line is for the shell. */
export function ownLine(state: State, line: string): Reduced | null {
  const [first = "", ...rest] = simpleWords(line) ?? [];
  if (first === "top" && rest.length === 0) return openedTop(state);
  if (first === "clear" && rest.every((word) => word === "-x")) return act(state, { do: "push-up" });
  if (first === "gsv" && rest.length === 0)
    return act(state, note("You are in gsv. Type ? for keys, or help for commands."));
  if (first === "history" && /^(?:\d{1,6})?$/.test(rest.join(" "))) return typedBefore(state, rest[0] ?? null);
  if ((first === "exit" || first === "logout") && rest.length === 0) return warnedOfStopped(state);
  if (first === "attach") return isAttach(rest) ? attached(state, rest.join(" ")) : null;
  if (ABOUT_ATTACHED.has(first) && isWithoutSubject(rest)) {
    const words = rest.join(" ");
    return onSlash(state, first, words) ?? act(state, ...ranAbout(state, about(first)(state.process.pid, words)));
  }
  const shown = shownOf(state.process.pid, first, rest);
  if (shown !== null) return act(state, ...ranAbout(state, shown));
  const [, head = "", more = ""] = PIPED.exec(line) ?? [];
  const [name = "", ...words] = simpleWords(head) ?? [];
  const piped = more === "" ? null : shownOf(state.process.pid, name, words);
  if (piped !== null) return act(state, ...ranAbout(state, piped + more));
  return first === "strace" ? straceOf(state, rest) : null;
}

/** The first command of a pipe or redirection, and the rest of the line. */
const PIPED = /^((?:'[^']*'|"[^"]*"|[^'"|<>;&\\])*?)(\s*(?:\||\d*>).*)$/s;

/** The command with the attached process as its subject; null for another command, or if it names one. */
function shownOf(pid: string, first: string, rest: readonly string[]): string | null {
  if ((SHOW_ATTACHED.has(first) || first === "diff") && isFlagsOnly(rest)) return about(first)(pid, rest.join(" "));
  const [verb = "", ...words] = rest;
  const flag = first === "history" && isFlagsOnly(words) && !hasPid(words) ? HISTORY_OF_ATTACHED.get(verb) : undefined;
  return flag === undefined ? null : `history ${verb} ${flag}${[pid, ...words].join(" ")}`;
}

/** Flags and their numbers. */
function isFlagsOnly(words: readonly string[]): boolean {
  return words.every((word) => (word.startsWith("-") && !/^(?:-h|--help)$/.test(word)) || /^\d+$/.test(word));
}

function hasPid(words: readonly string[]): boolean {
  return words.some((word) => /^--pid\b/.test(word));
}

const PAST_SHOWN = 30;

/** `history` lists typed lines, as in every shell. gsv's command of that name shows messages, so the note names it. */
function typedBefore(state: State, count: string | null): Reduced {
  const lines = pastRows(state.line.past, Number(count ?? PAST_SHOWN));
  return act(
    state,
    typedLine(count === null ? "history" : `history ${count}`),
    print({ kind: "lines", lines }),
    note(`Messages of ${reveal(processName(state.process))}: history show`),
  );
}

/** The default file is named after the process. */
function exported(pid: string, rest: string): string {
  const named = rest.split(/\s+/).some((word) => word !== "" && !word.startsWith("-"));
  return `history export --pid ${pid} ${named ? rest : `${pid.replace(":", "-")}.md ${rest}`}`.trim();
}

/** No pid, path, job or help flag. */
function isWithoutSubject(words: readonly string[]): boolean {
  return !words.some((word) => isPid(word) || /^(?:-h|--help|[~.]?\/.*|%.*)$/.test(word) || /\s/.test(word));
}

function isAttach(words: readonly string[]): boolean {
  const named = words.filter((word) => word !== "--read-only");
  return named.length === 1 && /^[^-/~.%]/.test(named[0] ?? "");
}

function attached(state: State, rest: string): Reduced {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  const pid = words.find((word) => !word.startsWith("--")) ?? initPid(state.who.uid);
  return act(state, { do: "attach", pid, readOnly: words.includes("--read-only") });
}

function traced(state: State, rest: string): Reduced {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  return straceOf(state, words) ?? act(state, ...ran(`strace ${rest}`));
}

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
  return openedStrace(state, pid ?? state.process.pid, expression);
}

function approvals(state: State, rest: string): Reduced {
  if (rest !== "") return act(state, ...ran(`approvals ${rest}`));
  if (state.asking.asks.length === 0) return act(state, note("No pending approvals"));
  return openedPicker(state, "approval");
}

function schedules(state: State, rest: string): Reduced {
  return rest === "" ? openedPicker(state, "schedule") : act(state, ...ran(`sched ${rest}`));
}

function servers(state: State, rest: string): Reduced {
  return rest === "" ? openedPicker(state, "mcp") : act(state, ...ran(`mcp ${rest}`));
}

function model(state: State, rest: string): Reduced {
  if (rest === "") return openedPicker(state, "model");
  return act(state, ...ranAbout(state, `model ${state.process.pid} ${rest}`));
}

function themed(state: State, rest: string): Reduced {
  if (rest === "") return openedPicker(state, "theme");
  if (rest in THEMES) return act(state, { do: "theme", name: rest as ThemeName });
  return act(state, note(`No theme ${rest}. Choose one of ${Object.keys(THEMES).join(", ")}.`));
}

/** The equivalent slash command or line. */
export const HERE: ReadonlyMap<string, string> = new Map([
  ...["continue", "resume", "sessions", "switch", "tasks"].map((word) => [word, "/go"] as const),
  ...["bye", "exit", "q"].map((word) => [word, "/quit"] as const),
  ["agents", "agent list"],
  ["login", "auth setup"],
  ["memory", "context list"],
  ["permissions", "policy list"],
  ["plan", "/mode plan"],
  ["save", "/export"],
  ["settings", "config list"],
  ["tokens", "/cost"],
]);

export function unknownSlash(state: State, typed: string, word: string): Reduced {
  const here = HERE.get(word);
  if (here === undefined) return act(state, typedLine(typed), note(refusal(word)));
  const [, name = "", rest = ""] = /^\/(\S+) ?(.*)$/.exec(here) ?? [];
  return (name === "" ? null : onSlash(state, name, rest)) ?? act(state, ...ran(here));
}

function refusal(word: string): string {
  const close = nearest(word, [...SLASHES.keys(), ...COMMANDS.keys()]).map((name) => `/${name}`);
  const meant = close.length === 0 ? "" : ` Did you mean ${close.join(" or ")}?`;
  return `Unknown command: /${word}.${meant} Type ? for a list.`;
}

/** Other programs save a line that begins with #; here it is a comment. */
export function comment(state: State, typed: string): Reduced {
  if (!/^#+\s*\S/.test(typed)) return only(state);
  return act(state, typedLine(typed), note("Comment, not sent. To send it, start the line with a comma."));
}
