// How `ls` quotes names: as they are, `-b` with backslashes, `-Q` in double quotes, `-q` with a question mark for each control character.

import type { Options } from "../options.ts";
import { Usage } from "../program.ts";

type Quoted = (name: string) => string;

const CONTROL = /[\x00-\x1f\x7f]/g;
const LETTERS: { readonly [character: string]: string } = {
  ...{ "\x07": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r" },
};

const escaped = (name: string) =>
  name
    .replaceAll("\\", "\\\\")
    .replaceAll(CONTROL, (control) => `\\${LETTERS[control] ?? control.charCodeAt(0).toString(8).padStart(3, "0")}`);

const STYLES: { readonly [style: string]: Quoted } = {
  literal: (name) => name,
  escape: (name) => escaped(name).replaceAll(" ", "\\ "),
  c: (name) => `"${escaped(name).replaceAll('"', '\\"')}"`,
};
const STYLE_OF: { readonly [flag: string]: string } = { N: "literal", b: "escape", Q: "c" };

/** The last flag for a style counts. */
export function quoting(uses: Options["uses"]): Quoted {
  let style: Quoted = (name) => name;
  for (const [flag, value] of uses) {
    const wanted = flag === "'" ? value : STYLE_OF[flag];
    if (wanted === undefined) continue;
    const found = STYLES[wanted];
    if (found === undefined)
      throw new Usage(
        `ls: invalid argument ‘${wanted}’ for ‘--quoting-style’\nValid arguments are: ${Object.keys(STYLES).join(", ")}\nTry 'ls --help' for more information.`,
        2,
      );
    style = found;
  }
  const hides = uses.some(([flag]) => flag === "q");
  return (name) => (hides ? style(name).replaceAll(CONTROL, "?") : style(name));
}
