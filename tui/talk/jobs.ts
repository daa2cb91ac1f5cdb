// Processes as jobs of the line: `question &` starts a background task, `jobs` lists them, `fg` attaches to one, `bg` leaves the attached
// process running and goes back to your init. Jobs of the shell, which are scripts, stay the shell's. Pure.

import { initPid, isPid } from "../../src/abi/ids.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import { simpleWords } from "../line/simple.ts";
import { act, note, print, type Reduced, typedLine } from "../state/effect.ts";
import type { EndedJob, Job } from "../state/process.ts";
import { type State, set } from "../state/state.ts";

const ENDS_MAX = 16;
const TEXT_CHARS = 60;
const BEHIND = /^(?<text>.*\S)\s+&$/s;

/** A message with `&` at its end; null of any other. */
export function askedInBackground(state: State, text: string): Reduced | null {
  const behind = BEHIND.exec(text)?.groups?.text;
  if (behind === undefined) return null;
  return act(state, print({ kind: "message", text }), { do: "background", text: behind });
}

/** A line about jobs that are processes; null if the line is for the shell. */
export function jobLine(state: State, line: string): Reduced | null {
  const behind = BEHIND.exec(line)?.groups?.text;
  if (behind !== undefined) return chatInBackground(state, line, behind);
  const [first = "", ...names] = (line.includes("%") ? line.trim().split(/\s+/) : simpleWords(line)) ?? [];
  if (first === "kill") return killed(state, line, names);
  if (names.length > 1 || (first !== "jobs" && first !== "fg" && first !== "bg")) return null;
  const [name] = names;
  if (first === "jobs") return name === undefined ? act(state, typedLine(line), { do: "jobs" }) : null;
  if (first === "bg" && name === undefined && state.process.pid !== initPid(state.who.uid)) return left(state, line);
  const pid = pidOf(state, name);
  if (pid === null) return null;
  if (first === "bg") return act(state, typedLine(line), note(`${pid} already runs in the background`));
  return act(state, typedLine(line), { do: "attach", pid, readOnly: false });
}

/** `kill %1`, `kill -9 %2`: each job name becomes its pid. null if one of the names is a job of the shell. */
function killed(state: State, line: string, words: readonly string[]): Reduced | null {
  const pids = words.map((word) => (word.startsWith("%") ? pidOf(state, word) : null));
  if (pids.every((pid) => pid === null) || words.some((word, at) => word.startsWith("%") && pids[at] === null))
    return null;
  const text = ["kill", ...words.map((word, at) => pids[at] ?? word)].join(" ");
  return act(state, typedLine(line), { do: "kill-jobs", text });
}

/** `chat "…" &` without flags. */
function chatInBackground(state: State, line: string, behind: string): Reduced | null {
  const words = simpleWords(behind) ?? [];
  const [first, ...message] = words[0] === "gsv" ? words.slice(1) : words;
  if (first !== "chat" || message.length === 0 || message.some((word) => word.startsWith("-"))) return null;
  return act(state, typedLine(line), { do: "background", text: message.join(" ") });
}

function left(state: State, line: string): Reduced {
  const { pid } = state.process;
  const { state: next, number } = withJob(state, pid, pid);
  return act(next, typedLine(line), note(`[${number}] ${pid} runs in the background`), {
    do: "attach",
    pid: initPid(state.who.uid),
    readOnly: false,
  });
}

/** A task has started; it may have ended before this terminal knew of it. */
export function started(state: State, pid: string, text: string): Reduced {
  const { state: next, number } = withJob(state, pid, text);
  const begun = act(next, note(`[${number}] ${pid}  ${shortText(text, TEXT_CHARS)}`));
  const end = state.background.ends.find((each) => each.pid === pid);
  return end === undefined ? begun : ended(begun, end);
}

function withJob(state: State, pid: string, text: string): { readonly state: State; readonly number: number } {
  const { jobs } = state.background;
  const known = jobs.find((job) => job.pid === pid);
  if (known !== undefined) return { state, number: known.number };
  const number = Math.max(0, ...jobs.map((job) => job.number)) + 1;
  const job = { number, pid, text: shortText(text, TEXT_CHARS) };
  return { state: set(state, "background", { jobs: [...jobs, job] }), number };
}

/** Names as in a shell: %2, %%, %+ or nothing for the newest, %- the one before, %text its beginning; or a pid. */
function pidOf({ background: { jobs } }: State, name: string | undefined): string | null {
  if (name !== undefined && isPid(name)) return name;
  if (name === undefined || /^%[%+]?$/.test(name)) return jobs.at(-1)?.pid ?? null;
  if (name === "%-") return jobs.at(-2)?.pid ?? null;
  const wanted = name.replace(/^%/, "");
  const found = jobs.find(
    ({ number, text }) => String(number) === wanted || (/\D/.test(wanted) && text.startsWith(wanted)),
  );
  return found?.pid ?? null;
}

export function jobRows(jobs: readonly Job[], processes: readonly ProcessInfo[]): readonly string[] {
  const states = jobs.map(({ pid }) => stateOf(processes.find((each) => each.pid === pid)));
  const width = Math.max(...states.map((state) => state.length));
  return jobs.map(({ number, pid, text }, at) => {
    const mark = at === jobs.length - 1 ? "+" : at === jobs.length - 2 ? "-" : " ";
    const label = processes.find((each) => each.pid === pid)?.label ?? text;
    return `[${number}]${mark} ${states[at]?.padEnd(width)}  ${pid}  ${reveal(label)}`;
  });
}

function stateOf(process: ProcessInfo | undefined): string {
  if (process === undefined) return "ended";
  const { state, lastStatus, queued } = process;
  if (state === "waiting_hil") return "waits for you";
  if (state !== "idle" || queued > 0) return state === "waiting_tool" || state === "idle" ? "running" : state;
  return lastStatus === null || lastStatus === "ok" ? "done" : lastStatus;
}

export function withJobNews(reduced: Reduced, signal: Signal): Reduced {
  const { state } = reduced;
  if (signal.name !== "chat.complete" || signal.mergedInto !== null || signal.queued !== 0) return reduced;
  const { pid, status } = signal;
  if (pid === state.process.pid) return reduced;
  const { jobs, ends } = state.background;
  if (jobs.some((job) => job.pid === pid)) return ended(reduced, { pid, status });
  return act(set(state, "background", { ends: [...ends, { pid, status }].slice(-ENDS_MAX) }), ...reduced.effects);
}

function ended(reduced: Reduced, { pid, status }: EndedJob): Reduced {
  const { state, effects } = reduced;
  const job = state.background.jobs.find((each) => each.pid === pid);
  if (job === undefined) return reduced;
  const how = status === "ok" ? "done" : status;
  return act(state, ...effects, note(`[${job.number}] ${how}  ${pid}  ${job.text} · fg %${job.number} to read it`));
}
