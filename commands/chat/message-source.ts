// The message of `gsv chat` (argument, file or stdin) with its attachments, complete before anything is sent.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import type { Args } from "../../src/syscalls/define.ts";
import { type Spec, timeoutMs, usageError } from "../args.ts";
import type { Interruption, Io } from "../command.ts";
import { wholeHostFile } from "../io/host-files.ts";
import { type Attachment, attachedFiles } from "./attached.ts";
import type { Ending } from "./ending.ts";
import { messageIn, readPrompt } from "./message-text.ts";
import type { CHAT } from "./spec.ts";

type Given = Pick<Args<typeof CHAT.input>, "message" | "file" | "attach" | "input" | "noStdin" | "stdinWait">;

export interface MessageInput {
  readonly message: string;
  readonly attached: readonly Attachment[];
  readonly warning: string | null;
}

export async function readMessage(io: Io, args: Given, spec: Spec): Promise<MessageInput> {
  const { message, file, attach } = args;
  if (file !== undefined && message !== undefined) throw usageError(spec, "--file and a message cannot be combined");
  const namesOnStdin = attach?.includes("-") === true;
  if (namesOnStdin && file === undefined && (message === undefined || message === "-"))
    throw usageError(spec, "stdin has the file names, so the message must be an argument");
  const written = file === undefined || file === "-" ? null : messageIn(await bytesOf(io, file), file);
  const prompt = await readPrompt(io, {
    message: written?.text ?? (file === "-" ? file : message),
    ignoreStdin: args.noStdin === true || namesOnStdin || args.input === "jsonl",
    firstByteMs: timeoutMs(spec, args.stdinWait, "--stdin-wait") ?? undefined,
    beside: true,
  });
  if (prompt === null) throw usageError(spec, "nothing to send: give a message or pipe one in");
  const files = attach === undefined ? [] : await attachedFiles(io, attach);
  const beside = [written?.beside, prompt.beside].flatMap((each) => each ?? []);
  if (prompt.text.trim() === "" && beside.length === 0) throw usageError(spec, "the message is empty");
  return { message: prompt.text, attached: [...files, ...beside], warning: prompt.warning };
}

async function bytesOf(io: Io, path: string): Promise<Buffer> {
  const host = await io.host();
  const found = await host.look(path, { follow: true });
  if (found === null) throw new SysError("ENOENT", `cannot read the message: ${path}: no such file on this computer`);
  const bytesMax = LIMITS.mediaBytesMax;
  const tooLong = () =>
    new SysError("EFBIG", `${path} is larger than ${sizeText(bytesMax)}`, [
      "attach the file with -a, or name it in the message",
    ]);
  return await wholeHostFile(io, path, { bytesMax, tooLong });
}

const NOTHING_SENT = "nothing was sent";

export type Before<T> = { readonly read: T } | { readonly ending: Ending };

/** Reading can be interrupted or time out; then nothing was sent. */
export async function readBeforeLeaving<T>(io: Io, reading: Promise<T>, limitMs: number | null): Promise<Before<T>> {
  const { promise: left, resolve: leave } = Promise.withResolvers<Ending>();
  const stops = [io.onSignal((name) => leave(endingOf(name)))];
  if (limitMs !== null) stops.push(keptAwake(io, limitMs, () => leave(endingLate(limitMs))));
  try {
    return await Promise.race([reading.then((read) => ({ read })), left.then((ending) => ({ ending }))]);
  } finally {
    for (const stop of stops) stop();
    reading.catch(() => {});
  }
}

function endingOf(name: Interruption): Ending {
  return { status: name === "INT" ? "aborted" : "detached", exit: ENDED_BY[name], error: NOTHING_SENT };
}

function endingLate(limitMs: number): Ending {
  return {
    status: "timeout",
    exit: ENDED_BY.time,
    error: `stdin did not end within ${limitMs / 1000} s; ${NOTHING_SENT}`,
  };
}

/** A sleep keeps the command alive; a callback of the clock does not. */
function keptAwake(io: Io, ms: number, late: () => void): () => void {
  const inTime = new AbortController();
  void io.clock.sleep(ms, inTime.signal).then(() => inTime.signal.aborted || late());
  return () => inTime.abort();
}
