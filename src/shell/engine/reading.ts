// `read` from a pipe whose writer still runs: it waits only for the bytes that it needs, and leaves the rest to the next command.

import type { Clock } from "../../lib/clock.ts";
import type { Interpreter, Result } from "./interpreter.ts";
import type { Input } from "./streams.ts";

const EXIT_LATE = 142;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

interface Wanted {
  readonly delimiter: number;
  readonly isRaw: boolean;
  /** Number of characters; null for a whole record. */
  readonly characters: number | null;
  /** -N: no delimiter ends it. */
  readonly isExact: boolean;
  readonly seconds: number | null;
  /** Why bash refuses a value; null if it takes all. */
  readonly fault: string | null;
}

export interface Reading {
  readonly clock: Pick<Clock, "sleep">;
  readonly run: () => Promise<Result>;
}

function wantedBy(args: readonly string[]): Wanted {
  let [delimiter, isRaw, isExact] = ["\n", false, false];
  let characters: number | null = null;
  let seconds: number | null = null;
  let fault: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--" || !/^-./.test(word)) break;
    for (let letter = 1; letter < word.length; letter++) {
      const flag = word[letter] ?? "";
      if (flag === "r") isRaw = true;
      if (!"dnNtuaip".includes(flag)) continue;
      const value = letter + 1 < word.length ? word.slice(letter + 1) : (args[++at] ?? "");
      if (flag === "t" && !/^\d*\.?\d*$/.test(value)) fault ??= `${value}: invalid timeout specification`;
      if (/^[nN]$/.test(flag) && !/^\d+$/.test(value)) fault ??= `${value}: invalid number`;
      if (flag === "d") delimiter = value;
      else if (flag === "n" || flag === "N") [characters, isExact] = [Number.parseInt(value, 10), flag === "N"];
      else if (flag === "t") seconds = Number.parseFloat(value);
      break;
    }
  }
  return { delimiter: Buffer.from(delimiter)[0] ?? 0, isRaw, characters, isExact, seconds, fault };
}

/** The answer to a wrong number; null if all are right. */
export function refusedRead(args: readonly string[]): Result | null {
  const { fault } = wantedBy(args);
  return fault === null ? null : { stdout: "", stderr: `bash: read: ${fault}\n`, exitCode: 1 };
}

export async function readFrom(
  { ctx: { state } }: Interpreter,
  args: readonly string[],
  input: Input,
  { clock, run }: Reading,
): Promise<Result> {
  const wanted = wantedBy(args);
  if (wanted.seconds === 0) return { stdout: "", stderr: "", exitCode: (await input.isReady(clock)) ? 0 : 1 };
  const over = new AbortController();
  let isLate = false;
  const late =
    wanted.seconds === null || !(wanted.seconds > 0)
      ? undefined
      : clock.sleep(wanted.seconds * 1000, over.signal).then(() => {
          isLate = !over.signal.aborted;
        });
  let length = lengthOf(input.bytes, wanted);
  while (length === null && (await input.more(late))) length = lengthOf(input.bytes, wanted);
  over.abort();
  const part = input.take(length ?? input.bytes.byteLength);
  state.groupStdin = textOf(part);
  try {
    const result = await run();
    return length === null && isLate ? { ...result, exitCode: EXIT_LATE } : result;
  } finally {
    state.groupStdin = "";
  }
}

/** The lines that `mapfile` with these arguments reads. */
export async function linesFor(args: readonly string[], input: Input): Promise<Buffer> {
  const valueAfter = (flag: string) => args[args.indexOf(flag) + 1] ?? "";
  const count = args.includes("-n") ? Number(valueAfter("-n")) : 0;
  if (!(count > 0)) return input.rest();
  const skipped = args.includes("-s") ? Number(valueAfter("-s")) : 0;
  const delimiter = args.includes("-d") ? (Buffer.from(valueAfter("-d"))[0] ?? 0) : NEWLINE;
  const end = () => endOf(input.bytes, delimiter, count + skipped);
  while (end() === null && (await input.more()));
  return input.take(end() ?? input.bytes.byteLength);
}

/** Where so many lines end; null if there are fewer. */
function endOf(bytes: Buffer, delimiter: number, count: number): number | null {
  let at = 0;
  for (let left = count; left > 0; left--) {
    const next = bytes.indexOf(delimiter, at);
    if (next === -1) return null;
    at = next + 1;
  }
  return at;
}

/** Bytes to read; null if more must come. */
function lengthOf(bytes: Buffer, { delimiter, isRaw, characters, isExact }: Wanted): number | null {
  let count = 0;
  for (let at = 0; at < bytes.byteLength; at++) {
    if (characters !== null && count >= characters) return at;
    const byte = bytes[at] ?? 0;
    if (!isExact && byte === delimiter) return at + 1;
    if (!isRaw && !isExact && byte === BACKSLASH) at++;
    at += following(byte);
    // A character is not complete.
    if (at >= bytes.byteLength) return null;
    count++;
  }
  return characters !== null && count >= characters ? bytes.byteLength : null;
}

/** Bytes of a character in UTF-8 after its first one. */
function following(first: number): number {
  if (first < 0xc0) return 0;
  return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}
