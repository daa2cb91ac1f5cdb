// The state that a shell passes to its next line and its jobs: variables, aliases, options and functions, taken from the shell's
// own output, as a script that restores them. Pure.

import type { ShellState } from "../../targets/shell.ts";
import { isInternal } from "../programs/internal-words.ts";
import type { Node } from "../rewrite/nodes.ts";
import { textOf } from "../rewrite/text.ts";

/** Commands that print a shell's state. */
export const PRINTED_STATE = '"$?" "$(declare -p)" "$(alias)" "$(shopt -p; set +o)" "$(declare -F)"';
export const PRINTED_STATE_WORDS = 5;

/** Variables that the interpreter always sets. */
const SET_BY_INTERPRETER =
  /^declare -\S+ (?:[?!#@*$0-9_-]|BASH\w*|SHELLOPTS|PIPESTATUS|PWD|FUNCNAME|OSTYPE|MACHTYPE|HOSTTYPE|UID|EUID|PPID|LINENO|RANDOM|SECONDS|OPTIND)=/;

const ON_AT_FIRST = new Set(["globskipdots", "braceexpand", "hashall", "interactive-comments"]);

export interface ShellFacts {
  readonly cwd: string;
  readonly umask: number | null;
  readonly functions: ReadonlyMap<string, Node>;
  /** Commands that set them. */
  readonly traps: readonly string[];
}

export function stateFrom(printed: readonly string[], { cwd, umask, functions, traps }: ShellFacts): ShellState {
  const [status = "0", variables = "", aliases = "", settings = "", names = ""] = printed;
  const lines = variables
    .split("\n")
    .filter(
      (line) =>
        line.startsWith("declare ") && !SET_BY_INTERPRETER.test(line) && !isInternal(line.split("=", 1)[0] ?? ""),
    );
  const known = names.split("\n").map((line) => line.replace(/^declare -f\S* /, ""));
  const texts = known.flatMap((name) => {
    const node = functions.get(name);
    return node === undefined ? [] : [textOf(node)];
  });
  const words = [...known, ...aliases.split("\n").map((line) => line.replace(/^alias ([^=]+)=.*$/s, "$1"))];
  const unusual = settings.split("\n").filter(isUnusual);
  return {
    cwd,
    prelude: [...lines.map(assignment), aliases, ...texts, ...traps, ...unusual].join("\n"),
    defined: words.filter((word) => word !== ""),
    status: Number(status),
    umask,
  };
}

// The interpreter reads these forms back exactly, unlike its own `declare` lines.
function assignment(declared: string): string {
  return declared.replace(/^declare -[-a] /, "").replace(/^declare -x /, "export ");
}

/** Sets an option to a value other than its default. */
function isUnusual(line: string): boolean {
  const [command, flag, name = ""] = line.split(" ");
  const isOn = command === "shopt" ? flag === "-s" : flag === "-o";
  return isOn !== ON_AT_FIRST.has(name);
}
