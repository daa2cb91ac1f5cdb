// Rewrites jq programs where the interpreter's jq differs from jq. Pure.

/** Flags with values behind them. */
const VALUES = new Map<string, number>(
  Object.entries({
    "--arg": 2,
    "--argjson": 2,
    "--slurpfile": 2,
    "--rawfile": 2,
    "--indent": 1,
    "-f": 1,
    "--from-file": 1,
    "-L": 1,
  }),
);
const OTHERS = new Map(Object.entries({ fromdateiso8601: "fromdate", todateiso8601: "todate" }));

const BY = new Map<string, (by: string) => string>(
  Object.entries({
    group_by: (by) => `(sort_by(${by}) | group_by(${by}))`,
    INDEX: (by) => `(map({key: (${by} | tostring), value: .}) | from_entries)`,
  }),
);

/** Rewrites the arguments of jq. */
export function jqArguments(args: readonly string[]): readonly string[] {
  const output: string[] = [];
  let isKnown = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const values = VALUES.get(arg) ?? 0;
    if (arg === "-f" || arg === "--from-file") isKnown = true;
    if (arg === "--indent") {
      if (args[at + 1] === "0") output.push("-c");
    } else if (values > 0) output.push(...args.slice(at, at + values + 1));
    else if (isKnown || (arg.startsWith("-") && arg !== "-")) output.push(arg);
    else {
      output.push(rewrittenJq(arg));
      isKnown = true;
    }
    at += values;
  }
  return output;
}

/** `unique` and `group_by` sort their results, as in jq. */
export function rewrittenJq(program: string): string {
  let output = "";
  for (let at = 0; at < program.length; ) {
    const rest = program.slice(at);
    const [text] = /^(?:"(?:[^"\\]|\\[\s\S])*"|[.$@]?[A-Za-z_]\w*|#[^\n]*|[\s\S])/.exec(rest) ?? [rest];
    at += text.length;
    if (text === "unique" && !/^\s*:/.test(program.slice(at))) output += "(sort | unique)";
    else if (BY.has(text) && program[at] === "(") {
      const end = closing(program, at);
      output += BY.get(text)?.(rewrittenJq(program.slice(at + 1, end)));
      at = end + 1;
    } else output += OTHERS.get(text) ?? text;
  }
  return output;
}

function closing(program: string, from: number): number {
  let open = 0;
  for (let at = from; at < program.length; at++) {
    const [text] = /^"(?:[^"\\]|\\[\s\S])*"/.exec(program.slice(at)) ?? [];
    if (text !== undefined) at += text.length - 1;
    else if (program[at] === "(") open++;
    else if (program[at] === ")" && --open === 0) return at;
  }
  return program.length;
}
