// Spool directory of one host command: description, output, end. The command writes its output and status itself, so they exist whichever
// kernel runs. File sizes count only as far as they are recorded in `order`.

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
import type { Grant } from "../abi/grants.ts";
import type { Clock } from "../lib/clock.ts";
import { readPlainFile } from "../lib/plain-file.ts";
import { type Output, type OutputPage, type Piece, type Stream, Waiting } from "./output.ts";
import { type Leader, startOf } from "./pids.ts";

export type Cause = "timeout" | "output" | "stopped";

export interface Meta {
  readonly id: string;
  readonly uid: number;
  readonly ownerUid: number;
  /** The command ends with this process's run. */
  readonly pid: string | null;
  readonly script: string;
  readonly directory: string;
  readonly sandbox: string | null;
  /** What it had in the sandbox. Missing for a command of a person. */
  readonly grants?: readonly Grant[];
  readonly startedAt: number;
  readonly timeoutMs: number;
  /** Boot id of the machine: pids are meaningless after a reboot. */
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

  /** Null if incomplete: it never started. */
  meta(): Meta | null {
    try {
      return JSON.parse(readPlainFile(this.path("meta.json"))) as Meta;
    } catch {
      return null;
    }
  }

  /** Null until the leader has recorded itself. */
  leader(): Leader | null {
    const [pid = "", stat = ""] = this.line("leader")?.split("\t") ?? [];
    return /^[1-9][0-9]*$/.test(pid) ? { pid: Number(pid), start: startOf(stat) } : null;
  }

  /** Host pid of the sandbox's first process; null until it can receive signals. */
  inside(): number | null {
    const text = this.text("inside") ?? "";
    const [, pid] = /^\s*"child-pid": ([1-9][0-9]*),?$/m.exec(text) ?? [];
    return pid !== undefined && text.includes(`${READY}\n`) ? Number(pid) : null;
  }

  /** Exit status; null while it runs or if unknown. */
  status(): number | null {
    return statusIn(this.line("status"));
  }

  /** Status if the leader is gone: also from lines it had not completed. */
  lastStatus(): number | null {
    return (
      statusIn(this.text("status")?.trimEnd() ?? null) ?? statusIn(this.line("inside")?.split("\n").at(-1) ?? null)
    );
  }

  cause(): Cause | null {
    return this.line("cause") as Cause | null;
  }

  setCause(cause: Cause): void {
    // Best effort: on a full disk only the reason is lost.
    if (this.cause() === null) appended(this.path("cause"), Buffer.from(`${cause}\n`));
  }

  // Incomplete lines do not count.
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

/** In `inside`: marks that the sandbox is ready. */
export const READY = "ready";

const OVER = "over";

interface Segment {
  readonly stream: Stream;
  /** Offsets in the whole output and in the stream's file. */
  readonly at: number;
  readonly offset: number;
  length: number;
}

/** Output of a command, read from its files on demand. */
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

  /** Records new output. */
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

  /** Ends the output: drops what was not recorded and appends `word`. */
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

  // If the disk is full, the next kernel only loses the order.
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

  // The last segment that starts at or before this byte.
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
    // A command may truncate its own output: missing bytes read as zeros.
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

/** O_NONBLOCK: opening a pipe for writing would block. */
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

/** Unreadable: no output is recorded. */
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
