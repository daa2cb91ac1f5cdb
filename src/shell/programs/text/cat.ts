// `cat`: prints files one after another, in pieces.

import { options } from "../options.ts";
import { type Call, eachFile, pieces } from "../program.ts";
import { eachLine, Lines } from "./lines.ts";

export async function cat(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, {
    letters: "AbEenstTuv",
    long: {
      number: "n",
      "number-nonblank": "b",
      "show-all": "A",
      "show-ends": "E",
      "show-tabs": "T",
      "squeeze-blank": "s",
      "show-nonprinting": "v",
    },
  });
  if (flags.size === 0 || (flags.size === 1 && flags.has("u")))
    return eachFile(call, operands, async (name) => {
      for await (const piece of pieces(call, name)) call.out(piece);
    });
  const has = (...letters: readonly string[]) => letters.some((letter) => flags.has(letter));
  let number = 0;
  let blank = false;
  return eachFile(call, operands, async (name) => {
    await eachLine(new Lines(pieces(call, name)), (line, isCut) => {
      if (has("s") && line === "" && blank) return;
      blank = line === "";
      const counted = has("b") ? line !== "" : has("n");
      const front = counted ? `${String(++number).padStart(6)}\t` : "";
      const seen = has("v", "e", "t", "A") ? revealed(line) : line;
      const body = has("T", "t", "A") ? seen.replaceAll("\t", "^I") : seen;
      call.out(`${front}${body}${isCut ? "" : has("E", "e", "A") ? "$\n" : "\n"}`);
    });
  });
}

/** Shows unprintable bytes as `^A` and `M-a`. */
function revealed(line: string): string {
  return [...Buffer.from(line)].map((byte) => (byte >= 128 ? `M-${visible(byte - 128)}` : visible(byte))).join("");
}

function visible(byte: number): string {
  if (byte === 9) return "\t";
  if (byte < 32) return `^${String.fromCharCode(byte + 64)}`;
  return byte === 127 ? "^?" : String.fromCharCode(byte);
}
