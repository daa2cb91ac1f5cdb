// `gsv cat`: bytes as they are into a pipe or a file; on a terminal text alone, made inert.

import { SysError } from "../../src/abi/errno.ts";
import { isBinary } from "../../src/lib/binary.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { ForeignOutput } from "../io/foreign-output.ts";
import { piecesOf } from "./copy/gsv-side.ts";
import { Problems } from "./problems.ts";

const input = {
  paths: field.paths("the files; - is stdin", { positional: true, meta: "PATH...", of: "file" }),
};

export const cat: Command = command(
  {
    name: "cat",
    summary: "Print files",
    input,
    examples: ["gsv cat '~/notes.md'", "gsv cat /proc/init:1000/status", "gsv cat '~/picture.png' > picture.png"],
    notes: [
      "On a terminal only text is printed, and nothing in it moves the terminal; elsewhere bytes go as they are.",
    ],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "cat", json);
    for (const path of args.paths) {
      const pieces = path === "-" ? io.stdin.bytes() : piecesOf(io.sys(), path);
      await problems.attempt(path, () => printPieces(io, path, pieces));
      if (io.stdout.closed) break;
    }
    return problems.status;
  },
);

/** On stdout, as it may be shown there. */
export async function printPieces(io: Io, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  if (io.stdout.isTTY) return printText(io, path, pieces);
  for await (const piece of pieces) {
    await io.stdout.write(piece);
    if (io.stdout.closed) return;
  }
}

async function printText(io: Io, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const output = new ForeignOutput(io.stdout);
  let begun = false;
  for await (const piece of pieces) {
    if (!begun && isBinary(piece)) throw notForTerminals(path);
    begun = true;
    await output.write(piece);
    if (io.stdout.closed) return;
  }
  await output.end();
}

function notForTerminals(path: string): SysError {
  const name = path.slice(path.lastIndexOf("/") + 1) || "file";
  return new SysError("EINVAL", `${path}: binary data is not printed on a terminal`, [
    `gsv cp ${quoted(path)} ${quoted(`host:./${name}`)} copies it to this machine`,
  ]);
}
