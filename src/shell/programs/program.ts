// A program of the shell: its arguments, streams in bytes, and gsv's files in ranges. It says what bash's own program of that name says, and
// ends with the same status.

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
  /** The same for two names of one file. */
  readonly place: string;
  readonly target?: string;
  /** Everything that is known of the file, for JSON. */
  readonly facts?: object;
}

/** How output looks where it is shown. */
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
  /** Differs if the content has changed; absent if the files do not tell. */
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
  /** Links are kept. */
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
  /** What it was called as. */
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** What it is not asked for, nobody has read. */
  readonly stdin: Source;
  /** Another program reads what it prints, while both run. */
  readonly isPiped: boolean;
  readonly files: Files;
  readonly umask: number;
  readonly look: Look;
  /** Prints a result as JSON instead of text; null for text. */
  readonly row: ((row: object) => void) | null;
  /** What it may print at most. */
  readonly outputBytesMax: number;
  readonly signal: AbortSignal | undefined;
  readonly nowMs: () => number;
  readonly random: (bytes: number) => Uint8Array;
  path(name: string): string;
  out(text: string | Uint8Array): void;
  /** Waits until there is room for more of what it prints: who prints much without reading asks in between. */
  room(): Promise<void>;
  /** Lets time pass, and ends the program where its reader goes meanwhile. */
  pause(ms: number): Promise<void>;
  err(text: string): void;
  /** Reports what went wrong with one operand; the program continues. `wording` gets the phrase for the error. */
  fail(error: unknown, wording: (why: string) => string): void;
  /** Runs a command as it would be typed after the words are split. */
  run(argv: readonly string[], stdin: Uint8Array, env?: Call["env"]): Promise<number>;
  /** The same, with what it prints for the program itself. */
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

/** Nobody wants more of what it prints: it ends, whatever it is doing. */
export class Ended extends Error {
  constructor(readonly status: number) {
    super("ended");
  }
}

/** What went wrong with a file, as bash's programs word it. */
export function phrase(error: unknown): string {
  if (error instanceof Ended) throw error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
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
const TOO_MUCH = `it would have to hold more than ${sizeText(LIMITS.fileBytesMax)} at once`;

/** A file in pieces, or stdin for `-`: never whole. */
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

export async function whole(call: Call, name: string): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces(call, name)) {
    all.push(piece);
    size += piece.byteLength;
    if (size > LIMITS.fileBytesMax) throw new Usage(`${call.name}: ${TOO_MUCH}`, ENDED_BY.output);
  }
  return Buffer.concat(all);
}

export async function text(call: Call, name: string): Promise<string> {
  return (await whole(call, name)).toString("utf8");
}

/** Without their ends; a last one without an end counts. */
export function linesOf(all: string, end = "\n"): string[] {
  if (all === "") return [];
  const lines = all.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** In the order of their names. */
export async function entries(call: Call, name: string): Promise<readonly Entry[]> {
  const found = [...(await call.files.list(call.path(name)))];
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** For each operand, with what went wrong said and the others still read. Stdin where there is none. */
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
