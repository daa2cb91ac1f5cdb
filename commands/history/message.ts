// `gsv proc message [ID]`: the full text of one message, in pieces; --json needs it at once.

import { Sanitizer } from "../../src/lib/text/sanitize.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { type MessageRequest, piecesOf, wholeMessage } from "./messages.ts";

export async function messageCommand(): Promise<Command> {
  const { summary, input, cli } = await declared("proc.message");
  const { offset: _, ...typed } = input;
  const notes = [
    "Prints the output of a tool result or the text of an answer. For whole conversations: gsv proc history",
  ];
  const spec = { name: "proc message", summary, input: typed, examples: cli.examples, notes };
  return command(spec, async ({ args, json }, io) => {
    if (json) await io.stdout.write(jsonLine(await wholeMessage(io.sys(), args)));
    else await print(io, args);
    return 0;
  });
}

async function print(io: Io, request: MessageRequest): Promise<void> {
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
