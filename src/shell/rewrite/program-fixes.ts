// Wrappers for the interpreter's programs that misread some arguments or end with a status other than gsv's: they correct both.

import { type CustomCommand, defineCommand } from "just-bash/browser";
import { exitStatusOfCode } from "../../abi/errno.ts";
import { PHRASES } from "../interpreter/errors.ts";

/** `whileListing`: runs a program that lists directories itself. */
export function adjusted(whileListing: <T>(work: () => Promise<T>) => Promise<T>): readonly CustomCommand[] {
  const shells = ["bash", "sh"].map((name) =>
    defineCommand(name, async (args, { origCommand, stdin }) =>
      run(
        origCommand,
        asScript(args, () => Buffer.from(stdin as unknown as string, "latin1").toString()),
      ),
    ),
  );
  const date = defineCommand("date", async (args, { origCommand }) =>
    run(origCommand, await atInstant(origCommand, args)),
  );
  const touch = defineCommand("touch", async (args, { origCommand }) => run(origCommand, stamped(args)));
  const times = defineCommand("times", async () => ({
    stdout: "0m0.000s 0m0.000s\n".repeat(2),
    stderr: "",
    exitCode: 0,
  }));
  const jq = defineCommand("jq", async (args, { origCommand }) =>
    run(origCommand, (await import("./jq-words.ts")).jqArguments(args)),
  );
  const find = defineCommand("find", async (args, { origCommand }) => {
    const { findArguments } = await import("./find-words.ts");
    return whileListing(() => run(origCommand, findArguments(args)));
  });
  const listing = ["tree", "rg"].map((name) =>
    defineCommand(name, (args, { origCommand }) => whileListing(() => run(origCommand, args))),
  );
  const copying = ["cp", "mv"].map((name) =>
    defineCommand(name, async (args, { origCommand }) => {
      const result = await run(origCommand, args);
      return result.exitCode === 1 && TOO_LARGE.test(result.stderr) ? { ...result, exitCode: EXIT_TOO_LARGE } : result;
    }),
  );
  return [...shells, find, ...listing, ...copying, date, touch, times, jq];
}

const TOO_LARGE = new RegExp(`: ${PHRASES.EFBIG}(?::|$)`, "m");
const EXIT_TOO_LARGE = exitStatusOfCode("EFBIG");

/** `touch -t 202401311200.30` as `touch -d`. */
function stamped(args: readonly string[]): readonly string[] {
  const at = args.indexOf("-t");
  const stamp = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(args[at + 1] ?? "");
  if (at === -1 || stamp === null) return args;
  const [, year, month, day, hour, minute, second = "00"] = stamp;
  return args.with(at, "-d").with(at + 1, `${year}-${month}-${day} ${hour}:${minute}:${second}`);
}

/** `date -d 'yesterday 3 hours ago'`: the interpreter's date knows no offsets. */
async function atInstant(original: Original, args: readonly string[]): Promise<readonly string[]> {
  const at = args.findIndex((arg) => /^(?:-u?d|--date)/.test(arg));
  const [flag = "", value = args[at + 1] ?? ""] = /^(--date|-u?d)=?(.+)?$/s.exec(args[at] ?? "")?.slice(1) ?? [];
  const isApart = args[at] === flag;
  const asked = at === -1 ? null : (await import("./relative-dates.ts")).parseRelativeDate(value);
  if (asked === null) return args;
  const universal = flag === "-ud" || args.includes("-u") || args.includes("--utc") ? ["-u"] : [];
  const { stdout, exitCode } = await run(original, [...universal, "-d", asked.base, "+%s"]);
  if (exitCode !== 0) return args;
  const instant = Math.floor(asked.move(new Date(Number(stdout) * 1000)).getTime() / 1000);
  const rest = args.filter((_, place) => place !== at && !(isApart && place === at + 1));
  return [...universal, "-d", `@${instant}`, ...rest];
}

type Original = NonNullable<Parameters<Parameters<typeof defineCommand>[1]>[1]["origCommand"]> | undefined;

async function run(original: Original, args: readonly string[]) {
  return (await original?.([...args])) ?? { stdout: "", stderr: "", exitCode: 127 };
}

/** `bash -eu -c SCRIPT`, `bash -x FILE`, `bash -s ARGS`: the options become a `set` in the script. */
function asScript(args: readonly string[], stdin: () => string): readonly string[] {
  const sets: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-o" || arg === "+o") sets.push(`set ${arg} ${args[++at]}`);
    else if (/^--(?:norc|noprofile|login|posix)$/.test(arg) || arg === "-l" || arg === "-i") continue;
    else if (/^[-+][a-zA-Z]+$/.test(arg)) {
      const letters = arg.slice(1).replaceAll(/[csil]/g, "");
      if (letters !== "") sets.push(`set ${arg[0]}${letters}`);
      const before = sets.map((line) => `${line}; `).join("");
      if (arg.includes("c")) return ["-c", before + (args[at + 1] ?? ""), ...args.slice(at + 2)];
      if (arg.includes("s")) return ["-c", before + stdin(), "bash", ...args.slice(at + 1)];
    } else {
      if (sets.length === 0) return args.slice(at);
      return ["-c", `${sets.map((line) => `${line}; `).join("")}. "$0"`, ...args.slice(at)];
    }
  }
  return sets.length === 0 ? [] : ["-c", sets.map((line) => `${line}\n`).join("") + stdin(), "bash"];
}
