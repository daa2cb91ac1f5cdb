// The message a command line stands for: its argument, what comes on stdin, or both, the argument first.
// Lossless: nothing is trimmed or requoted. Refused: binary data, more than fits, nothing at all. Silence on stdin is reported.

import { SysError } from "../src/abi/errno.ts";
import { LIMITS } from "../src/abi/limits.ts";
import type { Io } from "./command.ts";

const STDIN_BYTES_MAX = 8 * 1024 * 1024;
// Long enough for a slow producer such as a download, short enough for an open pipe nobody will ever write to.
const FIRST_BYTE_MS = 2500;
const FILE_HINT = "put it in a file and name that file: gsv fs write '~/report.txt' - < report.txt";

export interface PromptRequest {
  /** `-` means that stdin is the message. */
  readonly message?: string;
  readonly ignoreStdin: boolean;
}

export interface PromptText {
  readonly text: string;
  /** What the person should know of how it came about. */
  readonly warning: string | null;
}

/** Null when there is nothing to say and nothing to read it from. */
export async function readPrompt(io: Io, request: PromptRequest): Promise<PromptText | null> {
  const { message, ignoreStdin } = request;
  const fed = !ignoreStdin && io.stdin.kind !== "none" && io.stdin.kind !== "tty";
  if (message === undefined || message === "-") {
    if (ignoreStdin || !(fed || (message === "-" && io.stdin.kind === "tty"))) return null;
    const text = decode(await readBytes(io.stdin.bytes()[Symbol.asyncIterator]()));
    if (text === "") throw new SysError("EUSAGE", "stdin was empty: there is nothing to send");
    return { text: checkLength(text), warning: null };
  }
  if (!fed) return { text: checkLength(message), warning: null };
  const data = await readIfAny(io);
  if (data === null) {
    const warning = `nothing came on stdin for ${FIRST_BYTE_MS / 1000} s, going on without it (--no-stdin does not wait)`;
    return { text: checkLength(message), warning };
  }
  return { text: checkLength(data === "" ? message : `${message}\n\n${inBlock(data)}`), warning: null };
}

/** All of stdin as text. */
export async function stdinText(io: Io): Promise<string> {
  return decode(await readBytes(io.stdin.bytes()[Symbol.asyncIterator]()));
}

// The tag is one that the data itself does not hold, so that data cannot pretend to end.
/** Data that a message brings along. */
export function inBlock(data: string): string {
  let tag = "stdin";
  for (let number = 2; data.includes(`</${tag}>`); number++) tag = `stdin-${number}`;
  const end = data.endsWith("\n") ? "" : "\n";
  return `<${tag} bytes="${Buffer.byteLength(data)}">\n${data}${end}</${tag}>`;
}

async function readIfAny(io: Io): Promise<string | null> {
  const reader = io.stdin.bytes()[Symbol.asyncIterator]();
  if (io.stdin.kind === "file") return decode(await readBytes(reader));
  const first = reader.next();
  const silence = new AbortController();
  const heard = await Promise.race([
    first.then(() => true),
    io.clock.sleep(FIRST_BYTE_MS, silence.signal).then(() => false),
  ]);
  silence.abort();
  if (heard) return decode(await readBytes(reader, await first));
  // The read stays pending until the command has ended; its late result or failure means nothing any more.
  first.catch(() => {});
  return null;
}

async function readBytes(reader: AsyncIterator<Uint8Array>, first?: IteratorResult<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = first ?? (await reader.next()); !next.done; next = await reader.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > STDIN_BYTES_MAX) {
      throw new SysError("EUSAGE", `stdin holds more than ${STDIN_BYTES_MAX / 1024 / 1024} MiB`, [FILE_HINT]);
    }
  }
  return chunks;
}

function decode(chunks: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(chunks);
  const binary = bytes.includes(0);
  try {
    if (!binary) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Told below, the same way as a NUL byte.
  }
  const what = binary ? "it holds NUL bytes" : "it is not valid UTF-8";
  throw new SysError("EUSAGE", `stdin is not text: ${what}`, ["put it in a file and name that file in the message"]);
}

function checkLength(text: string): string {
  if (text.length <= LIMITS.messageCharsMax) return text;
  const size = `${text.length} characters; one message takes at most ${LIMITS.messageCharsMax}`;
  throw new SysError("EUSAGE", `the message has ${size}`, [FILE_HINT]);
}
