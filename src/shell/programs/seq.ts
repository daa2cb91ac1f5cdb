// `seq`: prints numbers one by one, so an endless sequence needs no memory.

import { options } from "./options.ts";
import { type Call, Usage } from "./program.ts";

const PIECE = 1000;
const ENDLESS = /^[-+]?inf(?:inity)?$/i;

export async function seq(call: Call): Promise<number> {
  // A negative number is not a flag.
  const isNumber = (arg: string) => /^-(?:\d|\.\d)/.test(arg);
  const { flags, operands } = options(
    "seq",
    call.args.map((arg) => (isNumber(arg) ? `\0${arg}` : arg)),
    { letters: "s:wf:", long: { "separator=": "s", "equal-width": "w", "format=": "f" } },
  );
  const words = operands.map((word) => word.replace("\0", ""));
  if (words.length === 0) throw new Usage("seq: missing operand\nTry 'seq --help' for more information.");
  const bad = words.find((word) => !/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(word) && !ENDLESS.test(word));
  if (bad !== undefined)
    throw new Usage(`seq: invalid floating point argument: ‘${bad}’\nTry 'seq --help' for more information.`);
  const [first = "1", step = "1", last = ""] =
    words.length === 1 ? ["1", "1", words[0]] : words.length === 2 ? [words[0], "1", words[1]] : words;
  if (Number(step) === 0)
    throw new Usage(`seq: invalid Zero increment value: ‘${step}’\nTry 'seq --help' for more information.`);
  const end = ENDLESS.test(last)
    ? last.startsWith("-")
      ? Number.NEGATIVE_INFINITY
      : Number.POSITIVE_INFINITY
    : Number(last);
  const places = Math.max(...[first, step].map((word) => /\.(\d+)/.exec(word)?.[1]?.length ?? 0));
  const count = Math.floor((end - Number(first)) / Number(step) + 1e-9) + 1;
  const width = flags.has("w")
    ? Math.max(...[first, Number.isFinite(end) ? last : first].map((word) => Number(word).toFixed(places).length))
    : 0;
  const shown = (at: number) => {
    const number = (Number(first) + at * Number(step)).toFixed(places);
    const format = flags.get("f");
    if (format !== undefined) return formatted(format, Number(number));
    return number.startsWith("-") ? `-${number.slice(1).padStart(width - 1, "0")}` : number.padStart(width, "0");
  };
  const between = flags.get("s") ?? "\n";
  for (let at = 0; at < count; at += PIECE) {
    const piece = Array.from({ length: Math.min(PIECE, count - at) }, (_, place) => shown(at + place)).join(between);
    call.out(piece + (at + PIECE < count ? between : "\n"));
    await call.room();
  }
  return 0;
}

function formatted(format: string, number: number): string {
  return format.replace(
    /%([-0]?)(\d*)(?:\.(\d+))?([gfe])/,
    (_, sign: string, width: string, places: string | undefined, kind: string) => {
      const text =
        kind === "g" && places === undefined
          ? String(number)
          : number.toFixed(Number(places ?? (kind === "g" ? 0 : 6)));
      return sign === "-" ? text.padEnd(Number(width)) : text.padStart(Number(width || 0), sign === "0" ? "0" : " ");
    },
  );
}
