// Processes as jobs of the line: `question &` gives a task of its own what is asked, `jobs` lists them, `fg` talks to one, `bg` goes back to
// one's own init while it works on. Jobs of the shell itself, which are scripts, stay the shell's. Pure.

import { initPid, isPid } from "../../src/abi/ids.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import { simpleWords } from "../line/simple.ts";
import type { Effect, Reduced } from "../state/effect.ts";
import type { EndedJob, Job } from "../state/process.ts";
import type { State } from "../state/state.ts";

const ENDS_MAX = 16;
const TEXT_CHARS = 60;
const BEHIND = /^(?<text>.*\S)\s+&$/s;

/** What is said, to be answered in the background; null when it is said here. */
export function askedBehind(state: State, text: string): Reduced | null {
  const behind = BEHIND.exec(text)?.groups?.text;
  if (behind === undefined) return null;
  return { state, effects: [{ do: "print", entry: { kind: "said", text } }, ...startOf(behind)] };
}

/** A line about jobs that are processes; null when it is one for the shell. */
export function jobLine(state: State, line: string): Reduced | null {
  const behind = BEHIND.exec(line)?.groups?.text;
  if (behind !== undefined) return chatBehind(state, line, behind);
  const [first = "", ...names] = (line.includes("%") ? line.trim().split(/\s+/) : simpleWords(line)) ?? [];
  if (first === "kill") return killed(state, line, names);
  if (names.length > 1 || (first !== "jobs" && first !== "fg" && first !== "bg")) return null;
  const [name] = names;
  if (first === "jobs") return name === undefined ? { state, effects: [shown(line), { do: "jobs" }] } : null;
  if (first === "bg" && name === undefined && state.pid !== initPid(state.who.uid)) return left(state, line);
  const pid = pidOf(state, name);
  if (pid === null) return null;
  if (first === "bg") return note(state, line, `${pid} works in the background already`);
  return { state, effects: [shown(line), { do: "attach", pid, readOnly: false }] };
}

/** `kill %1`, `kill -9 %2`: each job stands for its process. What names no job of these is the shell's. */
function killed(state: State, line: string, words: readonly string[]): Reduced | null {
  const pids = words.map((word) => (word.startsWith("%") ? pidOf(state, word) : null));
  if (pids.every((pid) => pid === null) || words.some((word, at) => word.startsWith("%") && pids[at] === null))
    return null;
  const text = ["kill", ...words.map((word, at) => pids[at] ?? word)].join(" ");
  return { state, effects: [shown(line), { do: "kill-jobs", text }] };
}

/** `chat "…" &` without anything that only the command knows. */
function chatBehind(state: State, line: string, behind: string): Reduced | null {
  const words = simpleWords(behind) ?? [];
  const [, ...said] = words[0] === "gsv" ? words.slice(1) : words;
  const isChat = (words[0] === "gsv" ? words[1] : words[0]) === "chat";
  if (!isChat || said.length === 0 || said.some((word) => word.startsWith("-"))) return null;
  return { state, effects: [shown(line), ...startOf(said.join(" "))] };
}

function startOf(text: string): readonly Effect[] {
  return [{ do: "background", text }];
}

/** It goes on without anybody who listens. */
function left(state: State, line: string): Reduced {
  const { state: next, number } = withJob(state, state.pid, state.pid);
  const told = `[${number}] ${state.pid} works on in the background`;
  const back: Effect = { do: "attach", pid: initPid(state.who.uid), readOnly: false };
  return { state: next, effects: [shown(line), { do: "print", entry: { kind: "note", text: told } }, back] };
}

/** A task has begun with what was asked, and may have come to its end before that was known. */
export function began(state: State, pid: string, text: string): Reduced {
  const { state: next, number } = withJob(state, pid, text);
  const begun = note(next, null, `[${number}] ${pid}  ${shortText(text, TEXT_CHARS)}`);
  const end = state.ends.find((each) => each.pid === pid);
  return end === undefined ? begun : ended(begun, end);
}

function withJob(state: State, pid: string, text: string): { readonly state: State; readonly number: number } {
  const known = state.jobs.find((job) => job.pid === pid);
  if (known !== undefined) return { state, number: known.number };
  const number = Math.max(0, ...state.jobs.map((job) => job.number)) + 1;
  return { state: { ...state, jobs: [...state.jobs, { number, pid, text: shortText(text, TEXT_CHARS) }] }, number };
}

/** As a shell names them: %2, %%, %+ and nothing the newest, %- the one before, %what it began with; or the pid. */
function pidOf({ jobs }: State, name: string | undefined): string | null {
  if (name !== undefined && isPid(name)) return name;
  if (name === undefined || /^%[%+]?$/.test(name)) return jobs.at(-1)?.pid ?? null;
  if (name === "%-") return jobs.at(-2)?.pid ?? null;
  const wanted = name.replace(/^%/, "");
  const found = jobs.find(
    ({ number, text }) => String(number) === wanted || (/\D/.test(wanted) && text.startsWith(wanted)),
  );
  return found?.pid ?? null;
}

/** What `jobs` says. */
export function jobRows(jobs: readonly Job[], processes: readonly ProcessInfo[]): readonly string[] {
  return jobs.map(({ number, pid, text }, at) => {
    const process = processes.find((each) => each.pid === pid);
    const mark = at === jobs.length - 1 ? "+" : at === jobs.length - 2 ? "-" : " ";
    return `[${number}]${mark} ${stateOf(process).padEnd(14)} ${pid}  ${reveal(process?.label ?? text)}`;
  });
}

function stateOf(process: ProcessInfo | undefined): string {
  if (process === undefined) return "ended";
  const { state, lastStatus, queued } = process;
  if (state === "waiting_hil") return "waits for you";
  if (state !== "idle" || queued > 0) return state === "waiting_tool" || state === "idle" ? "running" : state;
  return lastStatus === null || lastStatus === "ok" ? "done" : lastStatus;
}

/** One that nobody looks at has come to an end. */
export function withJobsTold({ state, effects }: Reduced, signal: Signal): Reduced {
  if (signal.name !== "chat.complete" || signal.mergedInto !== null || signal.queued !== 0 || signal.pid === state.pid)
    return { state, effects };
  const { pid, status } = signal;
  if (state.jobs.some((job) => job.pid === pid)) return ended({ state, effects }, { pid, status });
  return { state: { ...state, ends: [...state.ends, { pid, status }].slice(-ENDS_MAX) }, effects };
}

function ended({ state, effects }: Reduced, { pid, status }: EndedJob): Reduced {
  const job = state.jobs.find((each) => each.pid === pid);
  if (job === undefined) return { state, effects };
  const how = status === "ok" ? "done" : status;
  const text = `[${job.number}] ${how}  ${pid}  ${job.text} · fg %${job.number} reads it`;
  return { state, effects: [...effects, { do: "print", entry: { kind: "note", text } }] };
}

function note(state: State, line: string | null, text: string): Reduced {
  const print: Effect = { do: "print", entry: { kind: "note", text } };
  return { state, effects: line === null ? [print] : [shown(line), print] };
}

function shown(text: string): Effect {
  return { do: "print", entry: { kind: "ran", text, host: false } };
}
