// Parses script files and selects the line that answers a request. The selection depends only on the messages, so a restarted kernel
// continues at the right line. Unknown keys are errors.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Message } from "../../abi/process/message.ts";
import { NO_USAGE, type Usage } from "../../abi/process/process.ts";
import type { Failure, FailureClass, StopReason } from "../../abi/stream.ts";
import { isFailedNote } from "../local.ts";

export interface ScriptCall {
  readonly name: string;
  readonly args: { readonly [key: string]: unknown };
  /** Sent verbatim instead of args: to simulate invalid JSON. */
  readonly json?: string;
}

export interface ScriptLine {
  readonly number: number;
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly ScriptCall[];
  readonly delayMs: number;
  /** Code points per piece; 0: all at once. */
  readonly chunk: number;
  readonly chunkDelayMs: number;
  readonly cut: boolean;
  readonly error: Failure | null;
  readonly when: ((message: string) => boolean) | null;
  /** Answers requests for a history summary only. */
  readonly isSummary: boolean;
  readonly repeat: number;
  readonly stop: StopReason;
  readonly usage: Usage;
}

/** A fault in a script; the message names the line. */
export class ScriptFault extends Error {}

const DAY_MS = 24 * 60 * 60 * 1000;
// Patterns must not block the kernel: limited input and limited unbounded repetition.
const PATTERN_CHARS_MAX = 512;
const REPEATS_MAX = 2;

const FAILURE_CLASSES: readonly FailureClass[] = [
  "throttle",
  "quota",
  "outage",
  "network",
  "timeout",
  "config",
  "server",
  "auth",
  "model",
  "request",
  "overflow",
  "protocol",
  "content",
];
const STOPS: readonly StopReason[] = ["end", "tools", "length", "refusal"];
const SPEAKING_KEYS = ["text", "thinking", "calls", "cut", "error"];
const KEYS = [...SPEAKING_KEYS, "delayMs", "chunk", "chunkDelayMs", "when", "for", "repeat", "stop", "usage"];

export function parseScript(source: string): readonly ScriptLine[] {
  const lines: ScriptLine[] = [];
  for (const [index, raw] of source.split("\n").entries()) {
    const written = index === 0 ? raw.replace(/^\uFEFF/, "").trim() : raw.trim();
    if (written === "" || written.startsWith("#")) continue;
    lines.push(new LineReader(index + 1, written).read());
  }
  if (lines.length === 0) throw new ScriptFault("the file contains no answers");
  return lines;
}

export interface Cue {
  readonly line: ScriptLine | null;
  /** Counted from 1 over the whole history. */
  readonly turn: number;
}

/**
 * Lines whose `when` matches the last user message come first, once each (or `repeat` times) per message; then lines without `when`,
 * in order over the whole history. Every answer in history, and every turn that failed for good, has used up a line.
 */
export class LineSelector {
  private readonly plain: readonly ScriptLine[];
  private readonly conditional: readonly ScriptLine[];
  private fitting: readonly ScriptLine[] = [];
  private fitted = 0;
  private plainTaken = 0;
  private turns = 0;
  lastUser = "";

  constructor(lines: readonly ScriptLine[]) {
    this.plain = lines.filter((line) => line.when === null && !line.isSummary);
    this.conditional = lines.filter((line) => line.when !== null && !line.isSummary);
  }

  /** Oldest first. */
  pass(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.role === "assistant" || isFailedNote(message)) {
        this.turns++;
        if (at(this.fitting, this.fitted) === null) this.plainTaken++;
        else this.fitted++;
      } else if (message.role === "user") {
        this.lastUser = message.content;
        this.fitting = this.conditional.filter((line) => line.when?.(message.content));
        this.fitted = 0;
      }
    }
  }

  cue(): Cue {
    return { line: at(this.fitting, this.fitted) ?? at(this.plain, this.plainTaken), turn: this.turns + 1 };
  }
}

function at(lines: readonly ScriptLine[], position: number): ScriptLine | null {
  let left = position;
  for (const line of lines) {
    if (left < line.repeat) return line;
    left -= line.repeat;
  }
  return null;
}

class LineReader {
  private readonly number: number;
  private readonly values: { readonly [key: string]: unknown };

  constructor(number: number, written: string) {
    this.number = number;
    this.values = {};
    try {
      this.values = this.object("the line", JSON.parse(written));
    } catch (error) {
      if (error instanceof ScriptFault) throw error;
      throw this.fault(`not JSON (${error instanceof Error ? error.message : String(error)})`);
    }
  }

  read(): ScriptLine {
    this.onlyKeys("", this.values, KEYS);
    if (!SPEAKING_KEYS.some((key) => this.values[key] !== undefined)) {
      throw this.fault(`says nothing: give it one of ${SPEAKING_KEYS.join(", ")}`);
    }
    const calls = this.calls(this.values.calls);
    const chunk = this.whole("chunk", this.values.chunk, 0, 1_000_000_000, 0);
    if (chunk === 0 && this.values.chunkDelayMs !== undefined) throw this.fault("chunkDelayMs needs a chunk");
    const cut = this.values.cut ?? false;
    if (typeof cut !== "boolean") throw this.fault("cut must be true or false");
    if (cut && this.values.error !== undefined) throw this.fault("an answer ends in a cut or an error, not in both");
    return {
      number: this.number,
      text: this.string("text", this.values.text ?? ""),
      thinking: this.string("thinking", this.values.thinking ?? ""),
      calls,
      delayMs: this.whole("delayMs", this.values.delayMs, 0, DAY_MS, 0),
      chunk,
      chunkDelayMs: this.whole("chunkDelayMs", this.values.chunkDelayMs, 0, DAY_MS, 0),
      cut,
      error: this.values.error === undefined ? null : this.failure(this.values.error),
      isSummary: this.values.for !== undefined && this.oneOf("for", this.values.for, ["summary"]) === "summary",
      when: this.values.when === undefined ? null : this.condition(this.string("when", this.values.when)),
      repeat: this.whole("repeat", this.values.repeat, 1, 1_000_000_000, 1),
      stop: this.oneOf("stop", this.values.stop ?? (calls.length > 0 ? "tools" : "end"), STOPS),
      usage: this.usage(this.values.usage),
    };
  }

  private calls(value: unknown): ScriptCall[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.fault("calls must be a list");
    if (value.length > LIMITS.toolCallsPerTurnMax) throw this.fault(`more than ${LIMITS.toolCallsPerTurnMax} calls`);
    return value.map((item, index) => {
      const where = `calls[${index}]`;
      const call = this.object(where, item);
      this.onlyKeys(`${where}.`, call, ["name", "args", "json"]);
      const name = this.string(`${where}.name`, call.name);
      if (name === "") throw this.fault(`${where}.name is empty`);
      if (call.json !== undefined && call.args !== undefined) throw this.fault(`${where} has args and json: give one`);
      const args = this.object(`${where}.args`, call.args ?? {});
      return call.json === undefined ? { name, args } : { name, args, json: this.string(`${where}.json`, call.json) };
    });
  }

  private failure(value: unknown): Failure {
    const error = this.object("error", value);
    this.onlyKeys("error.", error, ["class", "message", "retryAfterMs"]);
    const failure: Failure = {
      class: this.oneOf("error.class", error.class, FAILURE_CLASSES),
      message: this.string("error.message", error.message ?? "the script says so"),
    };
    if (error.retryAfterMs === undefined) return failure;
    return { ...failure, retryAfterMs: this.whole("error.retryAfterMs", error.retryAfterMs, 0, DAY_MS, 0) };
  }

  private usage(value: unknown): Usage {
    const usage = this.object("usage", value ?? {});
    this.onlyKeys("usage.", usage, Object.keys(NO_USAGE));
    for (const [name, amount] of Object.entries(usage)) {
      const right = typeof amount === "number" && amount >= 0 && (name === "costUsd" || Number.isSafeInteger(amount));
      if (!right) throw this.fault(`usage.${name} must be a number from 0`);
    }
    return { ...NO_USAGE, ...usage };
  }

  private condition(written: string): (message: string) => boolean {
    const pattern = /^\/(.+)\/([a-z]*)$/s.exec(written);
    if (pattern === null) {
      const wanted = written.toLowerCase();
      return (message) => message.toLowerCase().includes(wanted);
    }
    const [, body = "", flags = ""] = pattern;
    // g and y keep state between requests.
    if (/[^imsuv]/.test(flags)) throw this.fault(`when can have the flags i, m, s, u and v, not ${flags}`);
    const repeats = body.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, "").match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
    if (repeats > REPEATS_MAX) throw this.fault(`when repeats ${repeats} times (*, +, {2,}), at most ${REPEATS_MAX}`);
    try {
      const regex = new RegExp(body, flags);
      return (message) => regex.test(message.slice(0, PATTERN_CHARS_MAX));
    } catch {
      throw this.fault(`when is not a regular expression: ${written}`);
    }
  }

  private whole(name: string, value: unknown, min: number, max: number, fallback: number): number {
    if (value === undefined) return fallback;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw this.fault(`${name} must be a whole number from ${min} to ${max}`);
  }

  private string(name: string, value: unknown): string {
    if (typeof value !== "string") throw this.fault(`${name} must be text`);
    return value;
  }

  private oneOf<T extends string>(name: string, value: unknown, choices: readonly T[]): T {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw this.fault(`${name} must be one of ${choices.join(", ")}`);
    return choice;
  }

  private object(name: string, value: unknown): { readonly [key: string]: unknown } {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw this.fault(`${name} must be an object`);
    return value as { readonly [key: string]: unknown };
  }

  private onlyKeys(where: string, value: object, known: readonly string[]): void {
    const stranger = Object.keys(value).find((key) => !known.includes(key));
    if (stranger === undefined) return;
    throw this.fault(`unknown key ${JSON.stringify(`${where}${stranger.slice(0, 40)}`)}; known: ${known.join(", ")}`);
  }

  private fault(what: string): ScriptFault {
    return new ScriptFault(`line ${this.number}: ${what}`);
  }
}
