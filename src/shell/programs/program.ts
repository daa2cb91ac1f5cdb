// The interface of a shell program: arguments, byte streams, and files read in ranges. Messages and exit statuses are those of the GNU
// program of the same name.

import { LIMITS } from "../../abi/config/limits.ts";
import { ENDED_BY } from "../../abi/errno.ts";
import { sizeText } from "../../lib/text/size.ts";
import type { Source } from "./pipe.ts";

export interface Stat {
  readonly kind: "file" | "directory" | "symlink";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Identity of the file: equal for two names of one file. */
  readonly place: string;
  readonly target?: string;
  /** All facts about the file, for JSON. */
  readonly facts?: object;
}

/** How to format output. */
export interface Look {
  /** Columns of the terminal; null if there is none. */
  readonly columns: number | null;
  readonly colour: boolean;
  /** Times in ISO form, for programs. */
  readonly isoTimes: boolean;
}

export interface Piece {
  readonly bytes: Uint8Array;
  readonly eof: boolean;
  /** Changes with the content; absent if unknown. */
  readonly version?: string;
}

export interface Entry {
  readonly name: string;
  readonly stat: Stat;
}

/** Paths are absolute: `call.path` makes them so. */
export interface Files {
  stat(path: string): Promise<Stat>;
  lstat(path: string): Promise<Stat>;
  /** Does not follow links. */
  list(path: string): Promise<readonly Entry[]>;
  read(path: string, offset: number, bytesMax: number): Promise<Piece>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  append(path: string, bytes: Uint8Array): Promise<void>;
  mkdir(path: string, parents: boolean): Promise<void>;
  setattr(path: string, attributes: { mode?: number; uid?: number; gid?: number; mtimeMs?: number }): Promise<void>;
  resolve(path: string): Promise<string>;
  remove(path: string): Promise<void>;
  link(path: string, target: string): Promise<void>;
}

export interface Call {
  /** The name the program was called by. */
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Lazy: bytes that are never requested are never read. */
  readonly stdin: Source;
  /** A program running at the same time reads the output. */
  readonly isPiped: boolean;
  readonly files: Files;
  readonly umask: number;
  readonly look: Look;
  /** Prints a result as JSON instead of text; null for text. */
  readonly row: ((row: object) => void) | null;
  /** Output limit in bytes. */
  readonly outputBytesMax: number;
  readonly signal: AbortSignal | undefined;
  readonly nowMs: () => number;
  readonly random: (bytes: number) => Uint8Array;
  path(name: string): string;
  out(text: string | Uint8Array): void;
  /** Waits for room in the output pipe. A program that prints a lot without reading must call this regularly. */
  room(): Promise<void>;
  /** Sleeps; ends the program if its reader goes away meanwhile. */
  pause(ms: number): Promise<void>;
  err(text: string): void;
  /** Reports what went wrong with one operand; the program continues. `wording` gets the phrase for the error. */
  fail(error: unknown, wording: (why: string) => string): void;
  /** Runs a command from its words. */
  run(argv: readonly string[], stdin: Uint8Array, env?: Call["env"]): Promise<number>;
  /** Runs a command and returns its output. */
  capture(
    argv: readonly string[],
    stdin: Uint8Array,
  ): Promise<{ readonly status: number; readonly stdout: Uint8Array }>;
}

export type Program = (call: Call) => Promise<number>;

const PHRASES: { readonly [code: string]: string } = {
  ENOENT: "No such file or directory",
  EISDIR: "Is a directory",
};

/** The reader is gone: ends the program at any point. */
export class Ended extends Error {
  constructor(readonly status: number) {
    super("ended");
  }
}

/** A file error in the words of GNU programs. */
export function phrase(error: unknown): string {
  if (error instanceof Ended) throw error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (error instanceof Usage && message.endsWith(TOO_MUCH)) return TOO_MUCH;
  return PHRASES[code] ?? message.replace(/^bash: [^:]*: /, "");
}

export class Usage extends Error {
  override readonly name = "Usage";

  constructor(
    message: string,
    readonly status = 1,
  ) {
    super(message);
  }
}

const PIECE_BYTES = 1024 * 1024;
const TOO_MUCH = `larger than ${sizeText(LIMITS.fileBytesMax)}`;

/** Reads a file, or stdin for `-`, in pieces. */
export async function* pieces(call: Call, name: string, from = 0): AsyncGenerator<Uint8Array> {
  if (name === "-" || name === "/dev/stdin") {
    for (;;) {
      await call.room();
      const piece = await call.stdin.next();
      if (piece === null) return;
      yield piece;
    }
  }
  const path = call.path(name);
  if (from === 0 && (await call.files.stat(path)).kind === "directory")
    throw Object.assign(new Error("Is a directory"), { code: "EISDIR", path: name });
  for (let offset = from; ; ) {
    await call.room();
    const { bytes, eof } = await call.files.read(path, offset, PIECE_BYTES);
    if (bytes.byteLength > 0) yield bytes;
    offset += bytes.byteLength;
    if (eof || bytes.byteLength === 0) return;
  }
}

/** `enough`: bytes that the caller uses; the rest may not be read. */
export async function whole(call: Call, name: string, enough = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces(call, name)) {
    all.push(piece);
    size += piece.byteLength;
    if (size >= enough) break;
    if (size > LIMITS.fileBytesMax)
      throw new Usage(`${call.name}: ${name === "-" ? "input" : name}: ${TOO_MUCH}`, ENDED_BY.output);
  }
  return Buffer.concat(all);
}

export async function text(call: Call, name: string): Promise<string> {
  return (await whole(call, name)).toString("utf8");
}

/** Lines without newlines; an unterminated last line counts. */
export function linesOf(all: string, end = "\n"): string[] {
  if (all === "") return [];
  const lines = all.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Sorted by name. */
export async function entries(call: Call, name: string): Promise<readonly Entry[]> {
  const found = [...(await call.files.list(call.path(name)))];
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Calls `work` for each operand, or for stdin without operands. Reports an error and continues with the next one. */
export async function eachFile(
  call: Call,
  names: readonly string[],
  work: (name: string) => Promise<void>,
  wording: (name: string, why: string) => string = (name, why) => `${name}: ${why}`,
): Promise<number> {
  let status = 0;
  for (const name of names.length === 0 ? ["-"] : names) {
    try {
      await work(name);
    } catch (error) {
      if (error instanceof Usage) throw error;
      call.fail(error, (why) => `${call.name}: ${wording(name, why)}`);
      status = 1;
    }
  }
  return status;
}
