// The text of a message: argument or file, followed by stdin. Binary or long data becomes an attachment if the command allows it, else an error.
// Empty input is an error; silence on stdin is reported.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { mediaType } from "../../src/lib/media-type.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import type { Io } from "../command.ts";
import {
  comesOnStdin,
  FILE_HINT,
  FIRST_BYTE_MS,
  isText,
  stdinBytes,
  stdinBytesSoon,
  stdinText,
  textIn,
} from "../io/stdin.ts";

/** JavaScript counts characters of four bytes as two. */
const UTF8_BYTES_MAX = 3;
const IN_A_FILE = "My message is too long to send directly. Read it from this file first.";

export interface PromptRequest {
  /** `-` means that stdin is the message. */
  readonly message?: string | undefined;
  readonly ignoreStdin: boolean;
  /** Time to wait for the first byte of stdin. */
  readonly firstByteMs?: number | undefined;
  /** Binary or long data may become an attachment. */
  readonly beside?: boolean;
}

export interface Beside {
  readonly what: "message" | "stdin";
  readonly bytes: Buffer;
}

export interface PromptText {
  readonly text: string;
  readonly beside: Beside | null;
  readonly warning: string | null;
}

/** null without a message and without stdin. */
export async function readPrompt(io: Io, request: PromptRequest): Promise<PromptText | null> {
  const { message, ignoreStdin } = request;
  const fed = !ignoreStdin && comesOnStdin(io);
  if (message === undefined || message === "-") {
    if (ignoreStdin || !(fed || (message === "-" && io.stdin.kind === "tty"))) return null;
    return await stdinAsMessage(io, request.beside === true);
  }
  if (!fed) return just(checkLength(message));
  return await withStdin(io, checkLength(message), request);
}

export function messageIn(bytes: Buffer, name: string): PromptText {
  if (bytes.length === 0) throw new SysError("EUSAGE", `${name} is empty: nothing to send`);
  const text = fittingText(bytes);
  if (text !== null) return just(text);
  if (isText(bytes)) return { ...just(IN_A_FILE), beside: { what: "message", bytes } };
  const { type } = mediaType(bytes);
  throw new SysError(
    "EUSAGE",
    `${name} is ${type}, ${sizeText(bytes.length)}, so it needs a message that says what to do with it`,
    ['give a message, too: gsv chat "What is this?" < FILE'],
  );
}

async function stdinAsMessage(io: Io, beside: boolean): Promise<PromptText> {
  const instead = "to skip stdin, give a message and --no-stdin; ctrl-c quits";
  if (beside) return messageIn(await stdinBytes(io, { bytesMax: LIMITS.mediaBytesMax, instead }), "stdin");
  const text = await stdinText(io);
  if (text === "") throw new SysError("EUSAGE", "stdin is empty: nothing to send");
  return just(checkLength(text));
}

async function withStdin(io: Io, message: string, { beside, firstByteMs }: PromptRequest): Promise<PromptText> {
  const bytesMax = LIMITS.mediaBytesMax;
  const ms = firstByteMs ?? FIRST_BYTE_MS;
  const reading = stdinBytesSoon(io, ms, { bytesMax, instead: "--no-stdin skips it; ctrl-c quits" });
  const data = await reading.catch((error: unknown) => {
    if (error instanceof SysError && error.code === "EIO") return error;
    throw error;
  });
  if (data === null || data instanceof SysError) {
    const why = data?.message ?? `no data on stdin for ${ms / 1000} s`;
    return { ...just(message), warning: `${why}, continuing without it (--no-stdin ignores stdin)` };
  }
  if (data.length === 0) return just(message);
  const text = fittingText(data);
  const whole = text === null ? null : `${message}\n\n${inBlock(text)}`;
  if (whole !== null && fits(whole)) return just(whole);
  if (beside) return { ...just(message), beside: { what: "stdin", bytes: data } };
  if (!isText(data)) throw new SysError("EUSAGE", "stdin is not text", [FILE_HINT]);
  throw tooLong(message.length + data.length);
}

/** null if binary or too long; checked without copying the data. */
function fittingText(bytes: Buffer): string | null {
  if (bytes.length > UTF8_BYTES_MAX * LIMITS.messageCharsMax) return null;
  const text = textIn(bytes);
  return text !== null && fits(text) ? text : null;
}

function just(text: string): PromptText {
  return { text, beside: null, warning: null };
}

/** The tag is one that the data does not contain, so the data cannot close it. */
export function inBlock(data: string): string {
  let tag = "stdin";
  for (let number = 2; data.includes(`</${tag}>`); number++) tag = `stdin-${number}`;
  const end = data.endsWith("\n") ? "" : "\n";
  return `<${tag} bytes="${Buffer.byteLength(data)}">\n${data}${end}</${tag}>`;
}

function fits(text: string): boolean {
  return text.length <= LIMITS.messageCharsMax;
}

function checkLength(text: string): string {
  if (fits(text)) return text;
  throw tooLong(text.length);
}

function tooLong(size: number): SysError {
  const message = `message too long: ${size} characters, at most ${LIMITS.messageCharsMax}`;
  return new SysError("EFBIG", message, [FILE_HINT]);
}
