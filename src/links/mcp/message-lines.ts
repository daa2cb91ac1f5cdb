// Cuts the output of an MCP server into messages, one per line. A server may print anything: other lines are counted and skipped, a line that
// is too long is thrown away while it arrives, and a flood of notifications is dropped before it is parsed.

import type { Clock } from "../../lib/clock.ts";

export interface MessageLimits {
  readonly lineBytesMax: number;
  readonly noticesPerSecondMax: number;
}

export interface MessageListener {
  message(value: { readonly [name: string]: unknown }): void;
  /** The first and last bytes of a line that is too long: its id is in one of them. */
  tooLong(ends: string): void;
  /** A line that does not end. */
  endless(): void;
}

/** What a server printed besides messages. */
export interface LineCounts {
  readonly garbage: number;
  /** The first such line. */
  readonly firstGarbage: string | null;
  readonly tooLong: number;
  readonly noticesDropped: number;
}

const NEWLINE = 10;
const ENDLESS_BYTES = 128 * 1024 * 1024;
/** Enough for the id and the method of a message. */
const END_BYTES = 512;
const GARBAGE_CHARS_KEPT = 200;
const SECOND_MS = 1000;
const NOTICE = /"method"\s*:\s*"notifications\//;
/** A program may print a banner without a newline before its first message. */
const MESSAGE_START = /\{\s*"(?:jsonrpc|id|result|error|method)"/;

export class MessageLines {
  private pieces: Uint8Array[] = [];
  private bytes = 0;
  /** Set while the rest of a line that is too long arrives: its first and its last bytes. */
  private skipped: { readonly head: Uint8Array; tail: Uint8Array; bytes: number } | null = null;
  private counted = { garbage: 0, firstGarbage: null as string | null, tooLong: 0, noticesDropped: 0 };
  private second = { began: Number.NEGATIVE_INFINITY, notices: 0 };

  constructor(
    private readonly limits: MessageLimits,
    private readonly clock: Pick<Clock, "mono">,
    private readonly listener: MessageListener,
  ) {}

  get counts(): LineCounts {
    return { ...this.counted };
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.add(chunk.subarray(from, end));
      this.endLine();
      from = end + 1;
    }
    if (from < chunk.length) this.add(chunk.slice(from));
  }

  private add(piece: Uint8Array): void {
    if (this.skipped !== null) {
      const { skipped } = this;
      skipped.tail = lastOf([skipped.tail, piece]);
      const before = skipped.bytes;
      skipped.bytes += piece.length;
      if (before <= ENDLESS_BYTES && skipped.bytes > ENDLESS_BYTES) this.listener.endless();
      return;
    }
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes <= this.limits.lineBytesMax) return;
    this.skipped = { head: firstOf(this.pieces), tail: lastOf(this.pieces), bytes: this.bytes };
    [this.pieces, this.bytes] = [[], 0];
  }

  private endLine(): void {
    const { skipped } = this;
    if (skipped !== null) {
      this.skipped = null;
      this.counted.tooLong++;
      this.listener.tooLong(`${textOf(skipped.head)}\n${textOf(skipped.tail)}`);
      return;
    }
    const line = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
    [this.pieces, this.bytes] = [[], 0];
    if (line.length === 0 || this.isOfFlood(line)) return;
    const text = textOf(line);
    const value = messageIn(text) ?? messageAfterBanner(text);
    if (value !== null) this.listener.message(value);
    else this.countGarbage(text);
  }

  private isOfFlood(line: Uint8Array): boolean {
    if (!NOTICE.test(textOf(line.subarray(0, END_BYTES)))) return false;
    const now = this.clock.mono();
    if (now - this.second.began >= SECOND_MS) this.second = { began: now, notices: 0 };
    if (++this.second.notices <= this.limits.noticesPerSecondMax) return false;
    this.counted.noticesDropped++;
    return true;
  }

  private countGarbage(text: string): void {
    if (text.trim() === "") return;
    this.counted.garbage++;
    this.counted.firstGarbage ??= text.slice(0, GARBAGE_CHARS_KEPT);
  }
}

function messageAfterBanner(text: string): ReturnType<typeof messageIn> {
  const start = text.search(MESSAGE_START);
  return start === -1 ? null : messageIn(text.slice(start));
}

function messageIn(text: string): { readonly [name: string]: unknown } | null {
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "jsonrpc" in value ? { ...value } : null;
  } catch {
    return null;
  }
}

function firstOf(pieces: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(pieces, END_BYTES);
}

function lastOf(pieces: readonly Uint8Array[]): Uint8Array {
  const ends = pieces.slice(-END_BYTES).map((piece) => piece.subarray(-END_BYTES));
  return Buffer.from(Buffer.concat(ends).subarray(-END_BYTES));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
