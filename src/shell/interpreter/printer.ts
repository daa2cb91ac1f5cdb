// Collects a script's output into larger messages: a loop that prints many lines must not flood the kernel.

import type { Clock } from "../../lib/clock.ts";
import type { FromRunner } from "../../targets/shell.ts";
import type { Sink } from "./files.ts";

const PIECE_BYTES = 64 * 1024;
const PIECE_MS = 20;
const POST_BYTES = 1024 * 1024;
/** The first pieces are sent immediately: most scripts print no more, and a script that hangs then holds nothing back. */
const PROMPT_MAX = 256;

export interface PrinterOptions {
  readonly post: (message: FromRunner) => void;
  readonly clock: Clock;
  readonly bytesMax: number;
}

export class Printer {
  private stream: "stdout" | "stderr" = "stdout";
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private total = 0;
  private since = 0;
  private sent = 0;

  constructor(private readonly options: PrinterOptions) {}

  readonly print: Sink = (stream, bytes) => {
    // Send one byte beyond the limit, so that the kernel sees that there was more.
    if (bytes.byteLength === 0 || this.total > this.options.bytesMax) return;
    if (stream !== this.stream) this.flush();
    if (this.heldBytes === 0) this.since = this.options.clock.mono();
    this.stream = stream;
    this.held.push(bytes);
    this.heldBytes += bytes.byteLength;
    this.total += bytes.byteLength;
    const isPrompt = this.sent++ < PROMPT_MAX;
    if (isPrompt || this.heldBytes >= PIECE_BYTES || this.options.clock.mono() - this.since >= PIECE_MS) this.flush();
  };

  flush(): void {
    if (this.heldBytes === 0) return;
    for (const bytes of this.held.length === 1 ? this.held : [Buffer.concat(this.held)]) this.post(bytes);
    this.held = [];
    this.heldBytes = 0;
  }

  /** In parts, each in a buffer of its own, which the kernel takes over. */
  private post(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; at += POST_BYTES)
      this.options.post({
        kind: "print",
        stream: this.stream,
        bytes: new Uint8Array(bytes.subarray(at, at + POST_BYTES)),
      });
  }
}
