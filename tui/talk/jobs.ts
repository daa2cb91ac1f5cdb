// Jobs of the line: `question &` starts a background task, ctrl-z stops a line of this computer, `jobs` lists both, `fg` attaches to a task or
// resumes a stopped line, `bg` leaves the attached process running and goes back to your init. Jobs of the shell, which are scripts, stay the
// shell's. Pure.

import { initPid, isPid } from "../../src/abi/ids.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import { simpleWords } from "../line/simple.ts";
import { act, type Effect, note, print, type Reduced, typedLine } from "../state/effect.ts";
import type { EventOf } from "../state/event.ts";
import type { EndedJob, Job } from "../state/process.ts";
import { type State, set } from "../state/state.ts";

type StoppedJob = Job & { readonly pid: null };

const ENDS_MAX = 16;
const TEXT_CHARS = 60;
const NO_BG = "A stopped program of this computer goes on in the foreground: fg";
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
  const job = jobOf(state, name);
  if (job?.pid === null) return first === "fg" ? resumed(state, line, job) : act(state, typedLine(line), note(NO_BG));
  const pid = job?.pid ?? (name !== undefined && isPid(name) ? name : null);
  if (pid === null) return null;
  if (first === "bg") return act(state, typedLine(line), note(`${pid} already runs in the background`));
  return act(state, typedLine(line), { do: "attach", pid, readOnly: false });
}

/** `kill %1`, `kill -9 %2`: each job name becomes its pid. null if one of the names is a job of the shell. */
function killed(state: State, line: string, words: readonly string[]): Reduced | null {
  const jobs = words.map((word) => (word.startsWith("%") ? jobOf(state, word) : null));
  const stopped = jobs.flatMap((job) => (job?.pid === null ? [job] : []));
  if (stopped.length > 0 && words.every((word, at) => word.startsWith("-") || jobs[at]?.pid === null))
    return killedStopped(state, line, stopped);
  const pids = jobs.map((job) => job?.pid ?? null);
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
  const number = newNumber(jobs);
  const job = { number, pid, text: shortText(text, TEXT_CHARS) };
  return { state: set(state, "background", { jobs: [...jobs, job] }), number };
}

function newNumber(jobs: readonly Job[]): number {
  return Math.max(0, ...jobs.map((job) => job.number)) + 1;
}

/** A line that is stopped again keeps its number. */
export function lineStopped(state: State, { stopped, text }: EventOf<"line-stopped">): Reduced {
  const others = withoutStopped(state, stopped).background.jobs;
  const number = stoppedJobs(state).find((job) => job.stopped === stopped)?.number ?? newNumber(others);
  const job = { number, pid: null, stopped, text: shortText(text, TEXT_CHARS) };
  const next = set(state, "background", { jobs: [...others, job], isWarned: false });
  return act(next, note(`[${number}] stopped  ${job.text}   fg to go on`));
}

export function withoutStopped(state: State, stopped: number): State {
  const jobs = state.background.jobs.filter((job) => job.pid !== null || job.stopped !== stopped);
  return set(state, "background", { jobs });
}

function stoppedJobs({ background }: State) {
  return background.jobs.flatMap((job) => (job.pid === null ? [job] : []));
}

function resumed(state: State, line: string, { stopped, text }: StoppedJob): Reduced {
  return act(state, typedLine(line), typedLine(text, true), { do: "resume-line", stopped });
}

function killedStopped(before: State, line: string, jobs: readonly StoppedJob[]): Reduced {
  const state = jobs.reduce((next, { stopped }) => withoutStopped(next, stopped), before);
  const ends = jobs.flatMap(({ stopped, number, text }): Effect[] => [
    { do: "end-line", stopped },
    note(`[${number}] ended  ${text}`),
  ]);
  return act(state, typedLine(line), ...ends);
}

export function leaving(state: State): Reduced {
  return warnedOfStopped(state) ?? act(state, { do: "leave" });
}

/** Leaving ends stopped lines: the first attempt only warns. null if there is nothing to warn of. */
export function warnedOfStopped(state: State): Reduced | null {
  const jobs = stoppedJobs(state);
  if (jobs.length === 0 || state.background.isWarned) return null;
  const names = jobs.map(({ text }) => text).join(", ");
  const warning = `Stopped: ${shortText(names, TEXT_CHARS)}. fg to go on, or leave again to end ${jobs.length === 1 ? "it" : "them"}.`;
  return act(set(state, "background", { isWarned: true }), note(warning));
}

/** Names as in a shell: %2, %%, %+ or nothing for the newest, %- the one before, %text its beginning. */
function jobOf({ background: { jobs } }: State, name: string | undefined): Job | null {
  if (name === undefined || /^%[%+]?$/.test(name)) return jobs.at(-1) ?? null;
  if (name === "%-") return jobs.at(-2) ?? null;
  const wanted = name.replace(/^%/, "");
  const found = jobs.find(
    ({ number, text }) => String(number) === wanted || (/\D/.test(wanted) && text.startsWith(wanted)),
  );
  return found ?? null;
}

export function jobRows(jobs: readonly Job[], processes: readonly ProcessInfo[]): readonly string[] {
  const states = jobs.map(({ pid }) =>
    pid === null ? "stopped" : stateOf(processes.find((each) => each.pid === pid)),
  );
  const width = Math.max(...states.map((state) => state.length));
  return jobs.map(({ number, pid, text }, at) => {
    const mark = at === jobs.length - 1 ? "+" : at === jobs.length - 2 ? "-" : " ";
    const label = processes.find((each) => each.pid === pid)?.label ?? text;
    return `[${number}]${mark} ${states[at]?.padEnd(width)}  ${pid === null ? "! " : `${pid}  `}${reveal(label)}`;
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
