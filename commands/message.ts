// `gsv proc message [ID]`: the text of one message, whole however long. An answer of the kernel has a bounded size, so it is pulled in
// pieces; nobody holds more of it than one, unless all of it is to be one JSON object.

import type { Sys } from "../src/abi/sys.ts";
import { Sanitizer } from "../src/lib/sanitize.ts";
import type { MessageText } from "../src/syscalls/services.ts";
import type { Io } from "./command.ts";
import { command } from "./define.ts";
import { declared } from "./derive.ts";
import { jsonLine } from "./print.ts";

const call = declared("proc.message");
const { offset: _, ...input } = call.input;

const spec = {
  name: "proc message",
  summary: call.summary,
  input: { pid: input.pid!, seq: input.seq! },
  examples: call.cli.examples,
  notes: ["Of a tool's result the output, of an answer its text. gsv proc history prints whole conversations."],
};

export const message = command(spec, async ({ args, json }, io) => {
  const request = args as { readonly pid?: string; readonly seq?: number };
  if (json) await io.stdout.write(jsonLine(await wholeMessage(io.sys(), request)));
  else await print(io, request);
  return 0;
});

async function print(io: Io, request: { readonly pid?: string; readonly seq?: number }): Promise<void> {
  const sanitizer = new Sanitizer();
  let endsLine = true;
  for await (const { text } of piecesOf(io.sys(), request)) {
    if (io.stdout.closed) return;
    if (text === "") continue;
    endsLine = text.endsWith("\n");
    await io.stdout.write(io.stdout.isTTY ? sanitizer.push(text) : text);
  }
  const held = io.stdout.isTTY ? sanitizer.end() : "";
  if (held !== "" || !endsLine) await io.stdout.write(`${held}\n`);
}

/** All pieces, of the message the first one was of: a newer answer may come meanwhile. */
async function* piecesOf(sys: Sys, request: { readonly pid?: string; readonly seq?: number }) {
  let wanted: { readonly pid?: string; readonly seq?: number } = request;
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: MessageText = await sys.call("proc.message", { ...wanted, offset });
    yield piece;
    wanted = { pid: piece.pid, seq: piece.seq };
    offset = piece.next;
  }
}

export async function wholeMessage(
  sys: Sys,
  request: { readonly pid?: string; readonly seq?: number },
): Promise<{ readonly pid: string; readonly seq: number; readonly text: string }> {
  const pieces = await Array.fromAsync(piecesOf(sys, request));
  const { pid, seq } = pieces[0]!;
  return { pid, seq, text: pieces.map(({ text }) => text).join("") };
}
