// The directory of one host command in the spool: what it is, what it prints, how it ended. The command writes the last two itself, so that
// they are there whoever of us lives. Sizes are only ever believed as far as they were accounted for in `order`.

import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { readPlainFile } from "../lib/plain-file.ts";
import { type Output, type OutputPage, type Piece, type Stream, Waiting } from "./output.ts";
import { type Leader, startOf } from "./pids.ts";

export type Cause = "timeout" | "output" | "stopped";

export interface Meta {
  readonly id: string;
  readonly uid: number;
  readonly ownerUid: number;
  /** The process it belongs to; it ends with that one's run. */
  readonly pid: string | null;
  readonly script: string;
  readonly directory: string;
  readonly sandbox: string | null;
  readonly startedAt: number;
  readonly timeoutMs: number;
  /** Of the machine: numbers of its processes mean nothing after the next start of it. */
  readonly bootId: string;
}

type SpoolFile = Stream | "stdin" | "order" | "leader" | "inside" | "status" | "cause" | "meta.json";

export class Spool {
  constructor(readonly directory: string) {}

  path(file: SpoolFile): string {
    return join(this.directory, file);
  }

  writeMeta(meta: Meta): void {
    const path = this.path("meta.json");
    writeFileSync(`${path}.new`, JSON.stringify(meta), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** Null where it is not whole: it never began. */
  meta(): Meta | null {
    try {
      return JSON.parse(readPlainFile(this.path("meta.json"))) as Meta;
    } catch {
      return null;
    }
  }

  /** Null until the command's leader has said who it is. */
  leader(): Leader | null {
    const [pid = "", stat = ""] = this.line("leader")?.split("\t") ?? [];
    return /^[1-9][0-9]*$/.test(pid) ? { pid: Number(pid), start: startOf(stat) } : null;
  }

  /** The first process of its sandbox, by its number out here; null until that one is ready to hear signals. */
  inside(): number | null {
    const text = this.text("inside") ?? "";
    const [, pid] = /^\s*"child-pid": ([1-9][0-9]*),?$/m.exec(text) ?? [];
    return pid !== undefined && text.includes(`${READY}\n`) ? Number(pid) : null;
  }

  /** How it ended; null while anything of it runs, or where it could not say so. */
  status(): number | null {
    return statusIn(this.line("status"));
  }

  /** The same of one whose leader is gone: ended while it waited for what was left behind, or done since somebody last looked. */
  lastStatus(): number | null {
    return (
      statusIn(this.text("status")?.trimEnd() ?? null) ?? statusIn(this.line("inside")?.split("\n").at(-1) ?? null)
    );
  }

  cause(): Cause | null {
    return this.line("cause") as Cause | null;
  }

  setCause(cause: Cause): void {
    // On a full disk it ends all the same, and says less of why.
    if (this.cause() === null) appended(this.path("cause"), Buffer.from(`${cause}\n`));
  }

  // A line counts once its end is written.
  private line(file: SpoolFile): string | null {
    const text = this.text(file);
    return text?.endsWith("\n") ? text.slice(0, -1) : null;
  }

  private text(file: SpoolFile): string | null {
    try {
      return readPlainFile(this.path(file));
    } catch {
      return null;
    }
  }
}

function statusIn(text: string | null): number | null {
  return text !== null && /^[0-9]{1,3}$/.test(text) ? Number(text) : null;
}

/** In `inside`, between what the sandbox says and how the command ended. */
export const READY = "ready";

/** The last line of `order`. */
const OVER = "over";

interface Segment {
  readonly stream: Stream;
  /** In the whole, and in the file of its stream. */
  readonly at: number;
  readonly offset: number;
  length: number;
}

/** What a command has printed, read from its files as it is asked for. */
export class SpooledOutput implements Output {
  private readonly segments: Segment[] = [];
  private readonly known = { stdout: 0, stderr: 0 };
  private readonly waiting = new Waiting();
  private over = false;

  constructor(
    private readonly spool: Spool,
    private readonly bytesMax: number,
  ) {
    for (const [stream, length] of ordered(spool.path("order"))) {
      if (stream === OVER) this.over = true;
      else this.add(stream, length);
    }
  }

  get bytes(): number {
    return this.known.stdout + this.known.stderr;
  }

  /** Accounts for what was printed since; says whether there was anything, or more than there may be. */
  grow(): "nothing" | "more" | "too much" {
    let grown: "nothing" | "more" = "nothing";
    if (this.over) return grown;
    for (const stream of ["stdout", "stderr"] as const) {
      const length = sizeOf(this.spool.path(stream)) - this.known[stream];
      if (length <= 0) continue;
      const room = Math.min(length, this.bytesMax - this.bytes);
      if (room > 0) {
        this.record(stream, room);
        this.add(stream, room);
        grown = "more";
      }
      if (room < length) return this.said("too much");
    }
    return grown === "more" ? this.said(grown) : grown;
  }

  /** Nothing more will be printed. What was not accounted for goes; `word` says so to whoever reads. */
  end(word: string | null): void {
    if (this.over) return;
    for (const stream of ["stdout", "stderr"] as const)
      if (sizeOf(this.spool.path(stream)) > this.known[stream])
        truncateSync(this.spool.path(stream), this.known[stream]);
    const bytes = Buffer.from(word === null ? "" : `gsv: ${word}\n`);
    if (bytes.byteLength > 0 && appended(this.spool.path("stderr"), bytes)) {
      this.record("stderr", bytes.byteLength);
      this.add("stderr", bytes.byteLength);
    }
    this.record(OVER, 0);
    this.over = true;
    this.waiting.wake();
  }

  page(from: number, bytesMax: number): OutputPage {
    const pieces: Piece[] = [];
    let next = from;
    for (let index = this.indexOf(from); index < this.segments.length && next - from < bytesMax; index++) {
      const { stream, at, offset, length } = this.segments[index]!;
      const start = Math.max(0, next - at);
      const bytes = this.read(stream, offset + start, Math.min(length - start, bytesMax - (next - from)));
      pieces.push({ stream, bytes });
      next += bytes.byteLength;
    }
    return { pieces, next, ended: this.over && next >= this.bytes };
  }

  async more(from: number, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (this.over || this.bytes > from) return;
    await this.waiting.until(clock, ms, signal);
  }

  // On a full disk the order is lost to the next kernel, and nothing else.
  private record(what: Stream | typeof OVER, length: number): void {
    appended(this.spool.path("order"), Buffer.from(`${what} ${length}\n`));
  }

  private said<T>(word: T): T {
    this.waiting.wake();
    return word;
  }

  private add(stream: Stream, length: number): void {
    const last = this.segments.at(-1);
    if (last?.stream === stream) last.length += length;
    else this.segments.push({ stream, at: this.bytes, offset: this.known[stream], length });
    this.known[stream] += length;
  }

  // The last segment that begins at or before this byte.
  private indexOf(from: number): number {
    let [low, high] = [0, this.segments.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.segments[middle]!.at <= from) low = middle;
      else high = middle;
    }
    return low;
  }

  private read(stream: Stream, offset: number, length: number): Uint8Array {
    // A command can cut its own output short: what is gone reads as zeros, and whoever reads comes to the end.
    const bytes = new Uint8Array(length);
    if (!existsSync(this.spool.path(stream))) return bytes;
    const file = openSync(this.spool.path(stream), "r");
    try {
      readSync(file, bytes, 0, length, offset);
      return bytes;
    } finally {
      closeSync(file);
    }
  }
}

/** A pipe in its place is refused, where writing would wait for a reader. */
const APPENDED = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

function appended(path: string, bytes: Uint8Array): boolean {
  try {
    const file = openSync(path, APPENDED, 0o600);
    try {
      appendFileSync(file, bytes);
    } finally {
      closeSync(file);
    }
    return true;
  } catch {
    return false;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Nothing where it is not to be read: no output is accounted for then. */
function orderIn(path: string): string {
  try {
    return readPlainFile(path);
  } catch {
    return "";
  }
}

function* ordered(path: string): Generator<readonly [Stream | typeof OVER, number]> {
  for (const line of orderIn(path).split("\n").slice(0, -1)) {
    const [, what, length] = /^(stdout|stderr|over) ([0-9]+)$/.exec(line) ?? [];
    if (what !== undefined) yield [what as Stream | typeof OVER, Number(length)];
  }
}
