// `cut` and `paste`: extract and join columns.

import { options } from "../options.ts";
import { type Call, eachFile, linesOf, pieces, text, Usage, whole } from "../program.ts";
import { eachLine, Lines } from "./lines.ts";

export async function cut(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, {
    letters: "b:c:f:d:snz",
    long: {
      "bytes=": "b",
      "characters=": "c",
      "fields=": "f",
      "delimiter=": "d",
      "only-delimited": "s",
      complement: "C",
      "output-delimiter=": "O",
      "zero-terminated": "z",
    },
  });
  const list = flags.get("f") ?? flags.get("c") ?? flags.get("b");
  if (list === undefined)
    throw new Usage(
      "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.",
    );
  const isWanted = wantedIn(list, flags.has("C"), flags.has("f"));
  const delimiter = flags.get("d") ?? "\t";
  if ([...delimiter].length > 1)
    throw new Usage("cut: the delimiter must be a single character\nTry 'cut --help' for more information.");
  const between = flags.get("O") ?? delimiter;
  const end = flags.has("z") ? "\0" : "\n";
  return eachFile(call, operands, async (name) => {
    const isBytes = flags.has("b") && !flags.has("f");
    if (isBytes) {
      for (const line of linesOf((await whole(call, name)).toString("latin1"), end))
        call.out(Buffer.from([...line].filter((_, at) => isWanted(at + 1)).join("") + end, "latin1"));
      return;
    }
    await eachLine(new Lines(pieces(call, name), end), (line) => {
      const columns = flags.has("f") ? line.split(delimiter) : [...line];
      const wanted = columns.filter((_, at) => isWanted(at + 1));
      if (!flags.has("f")) call.out(wanted.join("") + end);
      else if (line.includes(delimiter)) call.out(wanted.join(between) + end);
      else if (!flags.has("s")) call.out(line + end);
    });
  });
}

function wantedIn(list: string, complement: boolean, isFields: boolean): (place: number) => boolean {
  const ranges = list.split(/[, ]/).map((part) => {
    const [, from, dash, to] = /^(\d*)(-?)(\d*)$/.exec(part) ?? [];
    if (dash === undefined || (from === "" && to === ""))
      throw new Usage(
        `cut: invalid ${isFields ? "field" : "byte/character position"} value ‘${part}’\nTry 'cut --help' for more information.`,
      );
    const start = from === "" ? 1 : Number(from);
    if (start === 0)
      throw new Usage(
        `cut: ${isFields ? "fields are" : "byte/character positions are"} numbered from 1\nTry 'cut --help' for more information.`,
      );
    return { start, end: dash === "" ? start : to === "" ? Number.POSITIVE_INFINITY : Number(to) };
  });
  return (place) => ranges.some(({ start, end }) => place >= start && place <= end) !== complement;
}

export async function paste(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, {
    letters: "d:sz",
    long: { "delimiters=": "d", serial: "s", "zero-terminated": "z" },
  });
  const end = flags.has("z") ? "\0" : "\n";
  const between = delimiters(flags.get("d") ?? "\t");
  const names = operands.length === 0 ? ["-"] : operands;
  const files: string[][] = [];
  // A stream named twice is read alternately.
  const streams = names.filter((name) => name === "-").length;
  const stdin = streams === 0 || flags.has("s") ? [] : linesOf(await text(call, "-"), end);
  let turn = 0;
  const status = await eachFile(call, names, async (name) => {
    if (name !== "-" || flags.has("s")) files.push(linesOf(await text(call, name), end));
    else {
      const own = turn++;
      files.push(stdin.filter((_, at) => at % streams === own));
    }
  });
  if (flags.has("s")) for (const lines of files) call.out(joined(lines, between) + end);
  else {
    const height = Math.max(0, ...files.map((lines) => lines.length));
    for (let at = 0; at < height; at++)
      call.out(
        joined(
          files.map((lines) => lines[at] ?? ""),
          between,
        ) + end,
      );
  }
  return status;
}

function delimiters(text: string): readonly string[] {
  const named: { readonly [letter: string]: string } = { "\\n": "\n", "\\t": "\t", "\\\\": "\\", "\\0": "" };
  return (text.match(/\\.|./gsu) ?? [""]).map((each) => named[each] ?? each);
}

function joined(parts: readonly string[], between: readonly string[]): string {
  return parts.map((part, at) => (at === 0 ? part : `${between[(at - 1) % between.length]}${part}`)).join("");
}
