// Parses flags as GNU programs do: joined letters, values in the same or next word, long flags with `=`, anywhere before `--`. Pure.

import { Usage } from "./program.ts";

export interface Options {
  /** The last value of each flag; "" for a flag without one. */
  readonly flags: ReadonlyMap<string, string>;
  /** Each use in order. */
  readonly uses: readonly (readonly [flag: string, value: string])[];
  readonly operands: readonly string[];
}

export interface Grammar {
  /** Letters as for getopts: a colon marks a value. */
  readonly letters: string;
  /** Long names and their letters; `=` marks a value, `=?` an optional one. */
  readonly long?: { readonly [name: string]: string };
  /** The first operand ends the flags, because a command follows. */
  readonly stopsEarly?: boolean;
  /** The flag that `-5` stands for. */
  readonly digits?: string;
  readonly status?: number;
}

export function options(name: string, args: readonly string[], grammar: Grammar): Options {
  const uses: [string, string][] = [];
  const operands: string[] = [];
  const refuse = (what: string): never => {
    throw new Usage(`${name}: ${what}\nTry '${name} --help' for more information.`, grammar.status ?? 1);
  };
  for (let at = 0; at < args.length; at++) {
    const token = args[at] ?? "";
    if (token === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (token.startsWith("--")) {
      const [word = "", ...rest] = token.slice(2).split("=");
      const use = longFlag(word, grammar);
      if (use === null) refuse(`unrecognized option '${token}'`);
      const [letter, takes] = use ?? ["", "no"];
      const given = rest.length > 0 ? rest.join("=") : undefined;
      const next = takes === "yes" && given === undefined ? args[++at] : given;
      if (takes === "yes" && next === undefined) refuse(`option '--${word}' requires an argument`);
      uses.push([letter, next ?? ""]);
    } else if (grammar.digits !== undefined && /^-\d+$/.test(token)) uses.push([grammar.digits, token.slice(1)]);
    else if (token.startsWith("-") && token !== "-") {
      for (let letter = 1; letter < token.length; letter++) {
        const flag = token[letter] ?? "";
        const place = grammar.letters.indexOf(flag);
        if (place === -1 || flag === ":") refuse(`invalid option -- '${flag}'`);
        if (grammar.letters[place + 1] !== ":") {
          uses.push([flag, ""]);
          continue;
        }
        const value = letter + 1 < token.length ? token.slice(letter + 1) : args[++at];
        if (value === undefined) refuse(`option requires an argument -- '${flag}'`);
        uses.push([flag, value ?? ""]);
        break;
      }
    } else if (grammar.stopsEarly) {
      operands.push(...args.slice(at));
      break;
    } else operands.push(token);
  }
  return { flags: new Map(uses), uses, operands };
}

function longFlag(word: string, { long = {} }: Grammar): readonly [letter: string, takes: "yes" | "no" | "may"] | null {
  if (long[`${word}=`] !== undefined) return [long[`${word}=`] ?? "", "yes"];
  if (long[`${word}=?`] !== undefined) return [long[`${word}=?`] ?? "", "may"];
  return long[word] === undefined ? null : [long[word], "no"];
}

/** A count such as 10, 2k or 1M. */
export function countOf(name: string, text: string, what: string): number {
  const [, number, unit = ""] = /^[-+]?(\d+)(b|[kKMG]B?|)$/.exec(text) ?? [];
  if (number === undefined) throw new Usage(`${name}: invalid number of ${what}: ‘${text}’`);
  const scale = { "": 1, b: 512, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3, KB: 1000, kB: 1000, MB: 1e6, GB: 1e9 }[
    unit
  ];
  return Number(number) * (scale ?? 1);
}
