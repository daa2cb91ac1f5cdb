// Syscalls as rows (time, call, arguments, result, duration) and as sums per call, for strace and its view. Pure. Text from models is made
// visible here.

import { MODEL_CALL } from "../../src/abi/stream.ts";
import { jsonObject } from "../../src/lib/json-object.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth, displayWidth } from "../../src/lib/text/truncate.ts";
import type { TraceRow } from "../../src/syscalls/services.ts";

export interface Traced extends TraceRow {
  readonly pid: string;
}

export interface TraceCells {
  readonly time: string;
  readonly call: string;
  readonly argument: string;
  readonly result: string;
  readonly took: string;
}

const SAYS_MOST =
  "script command query pattern path paths from url question message prompt name key id pid model".split(" ");
const OTHER_CHARS_MAX = 40;
const TIME_COLUMNS = 12;
const PID_COLUMNS = 11;
const TOOK_COLUMNS = 7;
const MAIN_COLUMNS_MIN = 20;
const GAP = "  ";

export function isFailure({ outcome }: TraceRow): boolean {
  return outcome !== "ok";
}

export function traceCells(row: TraceRow): TraceCells {
  return {
    time: timeOfDay(row.at),
    call: reveal(row.call),
    argument: row.call === MODEL_CALL ? modelArgument(row.args) : mainArgument(row.args),
    result: reveal(row.outcome),
    took: tookText(row.ms),
  };
}

function modelArgument(json: string): string {
  const { model, in: all, cached, out } = jsonObject(json) ?? {};
  if (typeof model !== "string") return oneLine(json);
  if (typeof all !== "number" || typeof cached !== "number" || typeof out !== "number") return oneLine(model);
  const count = (tokens: number, word: string) => `${tokens.toLocaleString("en-US")} ${word}`;
  const share = cached === 0 ? [] : [`${Math.round((100 * cached) / Math.max(1, all))}% cached`];
  return [oneLine(model), count(all, "in"), ...share, count(out, "out")].join(GAP);
}

function mainArgument(json: string): string {
  const args = jsonObject(json);
  if (args === null) return oneLine(json);
  const main = SAYS_MOST.find((name) => isSaid(args[name]));
  const others = Object.entries(args)
    .filter(([name, value]) => name !== main && isSaid(value))
    .map(([name, value]) => `${reveal(name)}=${cutWidth(oneLine(shown(value)), OTHER_CHARS_MAX)}`);
  return [...(main === undefined ? [] : [oneLine(shown(args[main]))]), ...others].join(GAP);
}

export function allArguments(json: string): readonly (readonly [name: string, value: string])[] {
  const args = jsonObject(json);
  if (args === null) return [["args", json]];
  return Object.entries(args).map(([name, value]) => [name, shown(value)]);
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function oneLine(text: string): string {
  return reveal(text.trim().replace(/\s*\n\s*/g, "⏎"));
}

function timeOfDay(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

export function tookText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")} m`;
}

export interface TraceLayout {
  readonly head: string;
  readonly line: (row: Traced) => string;
}

/** Columns for this width; with several processes, rows include the pid. */
export function traceLayout(columns: number, { several }: { readonly several: boolean }): TraceLayout {
  const [call, result] = columns < 60 ? [11, 6] : [15, 9];
  const whose = several ? PID_COLUMNS + GAP.length : 0;
  const least = whose + call + result + TOOK_COLUMNS + 3 * GAP.length;
  // On a narrow screen, the time of day is dropped first.
  const withTime = columns >= least + TIME_COLUMNS + GAP.length + MAIN_COLUMNS_MIN;
  const room = Math.max(4, columns - least - (withTime ? TIME_COLUMNS + GAP.length : 0));
  const line = (pid: string, cells: TraceCells) =>
    [
      ...(withTime ? [cells.time.padEnd(TIME_COLUMNS)] : []),
      ...(several ? [padded(pid, PID_COLUMNS)] : []),
      padded(cells.call, call),
      padded(cells.argument, room),
      padded(cells.result, result),
      cells.took.padStart(TOOK_COLUMNS),
    ].join(GAP);
  const names = { time: "TIME", call: "CALL", argument: "ARGUMENT", result: "RESULT", took: "TOOK" };
  return { head: line("PID", names), line: (row) => line(row.pid, traceCells(row)) };
}

function padded(text: string, columns: number): string {
  const cut = cutWidth(text, columns);
  return cut + " ".repeat(Math.max(0, columns - displayWidth(cut)));
}

/** A filter: `fs,shell.exec`, `trace=fs`, or with `!` all others. */
export interface CallChoice {
  readonly names: readonly string[];
  readonly but: boolean;
}

export function callChoice(given: readonly string[]): CallChoice {
  const text = given.map((each) => each.replace(/^trace=/, "")).join(",");
  const but = text.startsWith("!");
  const names = text
    .replace(/^!/, "")
    .split(",")
    .filter((name) => name !== "" && name !== "all");
  return { names, but };
}

export function isChosen(call: string, { names, but }: CallChoice): boolean {
  if (names.length === 0) return true;
  return names.some((name) => call === name || call.startsWith(`${name}.`)) !== but;
}

export interface CallSum {
  readonly call: string;
  readonly calls: number;
  readonly errors: number;
  readonly ms: number;
}

export function summed(rows: readonly TraceRow[]): readonly CallSum[] {
  const groups = Map.groupBy(rows, ({ call }) => call);
  return [...groups]
    .map(([call, all]) => ({
      call,
      calls: all.length,
      errors: all.filter(isFailure).length,
      ms: all.reduce((sum, { ms }) => sum + ms, 0),
    }))
    .toSorted((left, right) => right.ms - left.ms || right.calls - left.calls);
}
