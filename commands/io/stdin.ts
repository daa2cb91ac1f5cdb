// Reads stdin to its end, unchanged. Fails as soon as it is larger than allowed. After a short wait, a note says what gsv waits for and how to skip
// it. If allowed, a silent pipe is skipped.

import { isUtf8 } from "node:buffer";
import { messageOf, SysError } from "../../src/abi/errno.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import type { Io } from "../command.ts";
import { note } from "./status.ts";

/** Enough for a slow producer such as a download, short enough for a pipe without a writer. */
export const FIRST_BYTE_MS = 2500;
/** Limit for text that goes into one call. */
const TEXT_BYTES_MAX = 8 * 1024 * 1024;
export const FILE_HINT = "copy it to a file first: gsv cp - '~/report.txt' < report.txt";

export interface StdinRequest {
  readonly bytesMax: number;
  readonly instead: string;
  readonly tooMuch?: string;
}

export function comesOnStdin(io: Io): boolean {
  return io.stdin.kind !== "none" && io.stdin.kind !== "tty";
}

export async function stdinText(io: Io, instead = "ctrl-c quits"): Promise<string> {
  const bytes = await stdinBytes(io, { bytesMax: TEXT_BYTES_MAX, instead });
  const text = textIn(bytes);
  if (text !== null) return text;
  const what = bytes.includes(0) ? "it contains NUL bytes" : "it is not valid UTF-8";
  throw new SysError("EUSAGE", `stdin is not text: ${what}`, ["copy it to a file and name that file in the message"]);
}

export function isText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Null for binary data. */
export function textIn(bytes: Uint8Array): string | null {
  return isText(bytes) ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : null;
}

export async function stdinBytes(io: Io, request: StdinRequest): Promise<Buffer> {
  return await readToEnd(io, reader(io), request);
}

/** null if nothing came in time. Fails with EIO if stdin cannot be read. */
export async function stdinBytesSoon(io: Io, firstByteMs: number, request: StdinRequest): Promise<Buffer | null> {
  const from = reader(io);
  if (io.stdin.kind === "file") return await readToEnd(io, from, request);
  const first = from.next();
  const silence = new AbortController();
  const heard = await Promise.race([
    first.then(() => true),
    io.clock.sleep(firstByteMs, silence.signal).then(() => false),
  ]).finally(() => silence.abort());
  if (heard) return await readToEnd(io, from, request, await first);
  // The read stays pending until the command ends; ignore its failure.
  first.catch(() => {});
  return null;
}

type Pieces = AsyncIterator<Uint8Array>;

function reader(io: Io): Pieces {
  const pieces = io.stdin.bytes()[Symbol.asyncIterator]();
  return { next: () => pieces.next().catch(unreadable) };
}

/** stdin may be write-only or its disk broken. With --no-input, the SysError already says why. */
function unreadable(error: unknown): never {
  if (error instanceof SysError) throw error;
  const { code = messageOf(error) } = error as { code?: string };
  throw new SysError("EIO", `cannot read stdin (${code})`);
}

async function readToEnd(
  io: Io,
  from: Pieces,
  request: StdinRequest,
  first?: IteratorResult<Uint8Array>,
): Promise<Buffer> {
  let held = Buffer.alloc(0);
  let size = 0;
  const quiet = io.clock.after(FIRST_BYTE_MS, () => void note(io, `gsv: ${waitingText(io, size, request)}`));
  try {
    for (let next = first ?? (await from.next()); !next.done; next = await from.next()) {
      const end = size + next.value.length;
      if (end > request.bytesMax) throw tooMuch(request);
      if (end > held.length) held = grown(held, end);
      held.set(next.value, size);
      size = end;
    }
  } finally {
    quiet();
  }
  return held.subarray(0, size);
}

// One buffer: a pipe may send single bytes, and a million small buffers take far more memory.
function grown(held: Buffer, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.max(bytes, 2 * held.length));
  larger.set(held);
  return larger;
}

function waitingText(io: Io, size: number, { instead }: StdinRequest): string {
  const from = io.stdin.isTTY ? "the terminal until ctrl-d" : "stdin until its end";
  return `reading ${from}: ${size === 0 ? "no data" : sizeText(size)} so far (${instead})`;
}

function tooMuch({ bytesMax, tooMuch: hint = FILE_HINT }: StdinRequest): SysError {
  return new SysError("EFBIG", `stdin is larger than ${sizeText(bytesMax)}`, [hint]);
}
