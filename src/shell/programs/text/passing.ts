// `tee`, `fold`, `rev`, `tac` and `nl`. The interpreter's own hold all input, so `yes | rev | head` would fail; they also lack flags, take one
// file only (tac), or report every error as a missing file (tee).

import { countOf, options } from "../options.ts";
import { type Call, eachFile, linesOf, phrase, pieces, text, Usage } from "../program.ts";
import { eachLine, Lines } from "./lines.ts";

export async function tee(call: Call): Promise<number> {
  const { flags, operands } = options("tee", call.args, {
    letters: "aip",
    long: { append: "a", "ignore-interrupts": "i", "output-error=?": "p" },
  });
  let status = 0;
  let files = operands.map((name) => ({ name, begun: flags.has("a") }));
  // A file that cannot be written is reported once.
  const write = async (piece: Uint8Array) => {
    for (const file of files) {
      const path = call.path(file.name);
      try {
        await (file.begun ? call.files.append(path, piece) : call.files.write(path, piece));
        file.begun = true;
      } catch (error) {
        call.err(`tee: ${file.name}: ${phrase(error)}\n`);
        files = files.filter((each) => each !== file);
        status = 1;
      }
    }
  };
  let any = false;
  for await (const piece of pieces(call, "-")) {
    any = true;
    await write(piece);
    call.out(piece);
  }
  if (!any) await write(EMPTY);
  return status;
}

const EMPTY = new Uint8Array();
const FOLD_WIDTH = 80;
const TAB = 8;

export async function fold(call: Call): Promise<number> {
  const { flags, operands } = options("fold", call.args, {
    letters: "bsw:",
    long: { bytes: "b", spaces: "s", "width=": "w" },
    digits: "w",
  });
  const width = flags.has("w") ? countOf("fold", flags.get("w") ?? "", "columns") : FOLD_WIDTH;
  if (width === 0) throw new Usage(`fold: invalid number of columns: ‘${flags.get("w")}’`);
  const how = { width, atBlanks: flags.has("s"), byBytes: flags.has("b") };
  return eachFile(call, operands, async (name) => {
    // A line may be endless: print each full row at once.
    let held = "";
    const decoder = new TextDecoder();
    for await (const piece of pieces(call, name)) {
      const lines = (held + decoder.decode(piece, { stream: true })).split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) call.out(`${folded(line, how).join("\n")}\n`);
      const full = folded(held, how);
      held = full.pop() ?? "";
      if (full.length > 0) call.out(`${full.join("\n")}\n`);
    }
    call.out(held);
  });
}

interface Fold {
  readonly width: number;
  readonly atBlanks: boolean;
  readonly byBytes: boolean;
}

function folded(line: string, { width, atBlanks, byBytes }: Fold): string[] {
  const pieces: string[] = [];
  let [kept, column] = ["", 0];
  const after = (letter: string, from: number) =>
    letter === "\t" && !byBytes ? from + TAB - (from % TAB) : from + (byBytes ? Buffer.byteLength(letter) : 1);
  for (const letter of line) {
    if (after(letter, column) > width && kept !== "") {
      const blank = atBlanks ? Math.max(kept.lastIndexOf(" "), kept.lastIndexOf("\t")) : -1;
      const end = blank === -1 ? kept.length : blank + 1;
      pieces.push(kept.slice(0, end));
      kept = kept.slice(end);
      column = [...kept].reduce((sum, each) => after(each, sum), 0);
    }
    kept += letter;
    column = after(letter, column);
  }
  return [...pieces, kept];
}

export async function rev(call: Call): Promise<number> {
  const { operands } = options("rev", call.args, { letters: "" });
  return eachFile(
    call,
    operands,
    async (name) =>
      eachLine(new Lines(pieces(call, name)), (line, isCut) =>
        call.out([...line].reverse().join("") + (isCut ? "" : "\n")),
      ),
    (name, why) => `cannot open ${name}: ${why}`,
  );
}

export async function tac(call: Call): Promise<number> {
  const { flags, operands } = options("tac", call.args, {
    letters: "brs:",
    long: { before: "b", regex: "r", "separator=": "s" },
  });
  const end = flags.get("s") ?? "\n";
  return eachFile(
    call,
    operands,
    async (name) => {
      const all = await text(call, name);
      const lines = linesOf(all, end);
      const ends = lines.map((line, at) => (at < lines.length - 1 || all.endsWith(end) ? line + end : line));
      call.out(ends.reverse().join(""));
    },
    (name, why) =>
      why === "Is a directory" ? `${name}: read error: ${why}` : `failed to open '${name}' for reading: ${why}`,
  );
}

/** Section delimiters of nl. */
const SECTION = /^(?:\\:){1,3}$/;

export async function nl(call: Call): Promise<number> {
  const { flags, operands } = options("nl", call.args, {
    letters: "b:d:f:h:i:l:n:ps:v:w:",
    long: {
      ...{ "body-numbering=": "b", "line-increment=": "i", "number-format=": "n", "number-separator=": "s" },
      ...{ "starting-line-number=": "v", "number-width=": "w", "no-renumber": "p" },
    },
  });
  const which = flags.get("b") ?? "t";
  if (!/^(?:[atn]|p.*)$/s.test(which)) throw new Usage(`nl: invalid body numbering style: ‘${which}’`);
  const pattern = which.startsWith("p") ? new RegExp(which.slice(1)) : null;
  const counted = (line: string) => pattern?.test(line) ?? (which === "a" || (which === "t" && line !== ""));
  const width = Number(flags.get("w") ?? 6);
  const format = flags.get("n") ?? "rn";
  const shown = (number: string) =>
    format === "ln" ? number.padEnd(width) : number.padStart(width, format === "rz" ? "0" : " ");
  const between = flags.get("s") ?? "\t";
  let number = Number(flags.get("v") ?? 1);
  return eachFile(call, operands, async (name) =>
    eachLine(new Lines(pieces(call, name)), (line) => {
      if (SECTION.test(line)) return call.out("\n");
      if (!counted(line))
        return call.out(
          line === "" ? `${" ".repeat(width + between.length)}\n` : `${" ".repeat(width + between.length)}${line}\n`,
        );
      call.out(`${shown(String(number))}${between}${line}\n`);
      number += Number(flags.get("i") ?? 1);
    }),
  );
}
