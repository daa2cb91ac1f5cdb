// /proc/PID/stream: current output of a process as a growing file: the model's text, commands and their output, in order. Keeps only what
// current readers have seen; command output stays with the command. Without a kernel: the stored messages of the last run.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { ReadOptions, ReadResult } from "../filesystem.ts";
import type { Page, ProcQueries } from "./queries.ts";

/** A running or recently finished command. */
export interface LiveCommand {
  readonly id: string;
  readonly script: string;
  readonly startedAt: number;
  /** null while it runs. */
  readonly exit: number | null;
  readonly output: {
    readonly bytes: number;
    readonly page: (from: number, bytesMax: number) => { readonly pieces: readonly { readonly bytes: Uint8Array }[] };
  };
}

export interface LivePorts {
  /** Text of the current answer so far; null if there is none. */
  readonly saying: (pid: string) => string | null;
  /** Oldest first. */
  readonly commands: (pid: string) => readonly LiveCommand[];
}

/** Readers that pause longer start over. */
const FOLLOWED_MS = 30_000;
const LINE_CHARS_MAX = 200;
/** Limit of kept text; then the stream starts over, like a truncated file. */
const TEXT_BYTES_MAX = 8 * 1024 * 1024;

export class Streams {
  private readonly followed = new Map<string, Stream>();
  private made = 0;
  private looks = 0;

  constructor(
    private readonly queries: ProcQueries,
    private readonly live: LivePorts | null,
    private readonly clock: Clock,
  ) {}

  async read(caller: Caller, pid: string, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const look = ++this.looks;
    const isOwn = caller.pid === pid;
    const key = isOwn ? `${pid} own` : pid;
    const followed = offset > 0 ? this.kept(key) : null;
    // Read before the messages, so that text stored meanwhile is not shown twice.
    const saying = this.live?.saying(pid) ?? null;
    const page = await (followed === null
      ? this.queries.newest(caller, pid, LIMITS.historyPageMax)
      : this.queries.since(caller, pid, followed.lastSeq));
    const stream = followed ?? this.begun(key, page);
    const now = this.clock.mono();
    stream.usedAt = now;
    if (offset > 0) stream.followedAt = now;
    // A process's own output of its stream would repeat itself endlessly.
    const commands = isOwn ? [] : (this.live?.commands(pid) ?? []);
    // Ignore the older of two concurrent observations.
    if (look > stream.look) stream.observe(page.messages, saying, commands);
    stream.look = Math.max(stream.look, look);
    const bytes = stream.slice(offset, bytesMax);
    return { bytes, eof: offset + bytes.byteLength >= stream.bytes, version: stream.version };
  }

  private kept(key: string): Stream | null {
    const now = this.clock.mono();
    for (const [other, { usedAt }] of this.followed) if (now - usedAt > FOLLOWED_MS) this.followed.delete(other);
    const stream = this.followed.get(key);
    return stream === undefined || stream.textBytes > TEXT_BYTES_MAX ? null : stream;
  }

  // New readers start at the active run, unless another reader follows an earlier one.
  private begun(key: string, { messages, activeRunId }: Page): Stream {
    const run = activeRunId ?? messages.at(-1)?.runId ?? null;
    const kept = this.kept(key);
    if (kept !== null && (kept.run === run || this.clock.mono() - kept.followedAt < FOLLOWED_MS)) return kept;
    const stream = new Stream(run, messages, ++this.made);
    this.followed.set(key, stream);
    return stream;
  }
}

interface Segment {
  readonly at: number;
  length: number;
  readonly read: (from: number, length: number) => Uint8Array;
  /** Command of this output; null for text. */
  readonly command: string | null;
}

interface Shown {
  bytes: number;
  ended: boolean;
}

class Stream {
  bytes = 0;
  textBytes = 0;
  look = 0;
  usedAt = 0;
  followedAt = Number.NEGATIVE_INFINITY;
  readonly version: string;
  /** Number of the last message in the stream. */
  lastSeq: number;
  private readonly segments: Segment[] = [];
  private readonly shown = new Map<string, Shown>();
  private readonly since: number;
  /** Shown part of the current answer. */
  private lastText = "";
  /** Command of the last output. */
  private printing: string | null = null;

  constructor(
    readonly run: string | null,
    messages: readonly Message[],
    number: number,
  ) {
    const first = messages.find(({ runId }) => runId !== null && runId === run);
    const last = messages.at(-1);
    this.lastSeq = first === undefined ? (last?.id ?? 0) : first.id - 1;
    this.since = (first ?? last)?.timestamp ?? 0;
    this.version = `${run}.${number}`;
  }

  observe(messages: readonly Message[], saying: string | null, commands: readonly LiveCommand[]): void {
    const ours = commands.filter(({ startedAt }) => startedAt >= this.since);
    let isStored = false;
    for (const message of messages.filter(({ id }) => id > this.lastSeq)) {
      this.lastSeq = message.id;
      if (message.role !== "assistant") continue;
      for (const command of ours) if (command.startedAt < message.timestamp) this.print(command);
      this.say(message.content.text);
      this.lastText = "";
      isStored = true;
    }
    for (const command of ours) this.print(command);
    if (saying !== null && !isStored) {
      this.say(saying);
      this.lastText = saying;
    }
  }

  slice(offset: number, bytesMax: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    const end = Math.min(this.bytes, offset + bytesMax);
    for (const { at, length, read } of this.segments) {
      const [from, to] = [Math.max(offset, at), Math.min(end, at + length)];
      if (from < to) pieces.push(read(from - at, to - from));
    }
    return Buffer.concat(pieces);
  }

  /** A restarted answer is shown again. */
  private say(text: string): void {
    const continues = text.startsWith(this.lastText);
    const more = continues ? text.slice(this.lastText.length) : text;
    if (more !== "") this.text(more, !continues || this.lastText === "" || this.segments.at(-1)?.command !== null);
  }

  private print({ id, script, exit, output }: LiveCommand): void {
    const known = this.shown.get(id);
    const shown = known ?? { bytes: 0, ended: false };
    const length = output.bytes - shown.bytes;
    if (known === undefined) this.text(`$ ${firstLine(script)}\n`, true);
    // With several commands, name the one whose output follows.
    else if (length > 0 && this.printing !== id) this.text(`$ ${firstLine(script)} …\n`, true);
    if (known === undefined || length > 0) this.printing = id;
    if (length > 0) this.output(id, length, shown.bytes, output);
    const ended = exit !== null;
    if (ended && !shown.ended) this.text(`(exit status ${exit})\n`, true);
    this.shown.set(id, { bytes: output.bytes, ended });
  }

  private text(text: string, ownLine: boolean): void {
    const start = ownLine && !this.isAtLineStart() ? "\n" : "";
    const bytes = Buffer.from(start + text);
    this.textBytes += bytes.byteLength;
    this.add({ length: bytes.byteLength, read: (at, size) => bytes.subarray(at, at + size), command: null });
  }

  private isAtLineStart(): boolean {
    return this.bytes === 0 || this.slice(this.bytes - 1, 1)[0] === 10;
  }

  private output(command: string, length: number, from: number, source: LiveCommand["output"]): void {
    const last = this.segments.at(-1);
    if (last?.command === command) {
      last.length += length;
      this.bytes += length;
      return;
    }
    if (last?.command === null) this.text("", true);
    this.add({ length, read: (at, size) => exactly(source.page(from + at, size).pieces, size), command });
  }

  private add(segment: Omit<Segment, "at">): void {
    if (segment.length === 0) return;
    this.segments.push({ ...segment, at: this.bytes });
    this.bytes += segment.length;
  }
}

function firstLine(script: string): string {
  const [line = ""] = script.trim().split("\n", 1);
  return line.length < script.trim().length || line.length > LINE_CHARS_MAX
    ? `${line.slice(0, LINE_CHARS_MAX)} …`
    : line;
}

/** Pads with zeros if the command dropped output. */
function exactly(pieces: readonly { readonly bytes: Uint8Array }[], size: number): Uint8Array {
  const all = Buffer.concat(pieces.map(({ bytes }) => bytes));
  return all.byteLength === size
    ? all
    : Buffer.concat([all, Buffer.alloc(Math.max(0, size - all.byteLength))]).subarray(0, size);
}
