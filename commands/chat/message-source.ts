// The message of `gsv chat` (argument, file or stdin) with its attachments, complete before anything is sent.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import type { Args } from "../../src/syscalls/define.ts";
import { type Spec, timeoutMs, usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { wholeHostFile } from "../io/whole-file.ts";
import { type Attachment, attachedFiles } from "./attached.ts";
import { messageIn, readPrompt } from "./message-text.ts";
import type { CHAT } from "./spec.ts";

type Given = Pick<Args<typeof CHAT.input>, "message" | "file" | "attach" | "input" | "noStdin" | "stdinWait">;

export interface Said {
  readonly message: string;
  readonly attached: readonly Attachment[];
  readonly warning: string | null;
}

export async function saidBy(io: Io, args: Given, spec: Spec): Promise<Said> {
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
