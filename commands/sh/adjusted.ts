// The interpreter's own programs where only their arguments are misread: these are said another way, and the program itself does the rest.

import { type CustomCommand, defineCommand } from "just-bash/browser";

export function adjusted(): readonly CustomCommand[] {
  const shells = ["bash", "sh"].map((name) =>
    defineCommand(name, async (args, { origCommand, stdin }) =>
      run(
        origCommand,
        asScript(args, () => Buffer.from(stdin as unknown as string, "latin1").toString()),
      ),
    ),
  );
  return shells;
}

type Original = NonNullable<Parameters<Parameters<typeof defineCommand>[1]>[1]["origCommand"]> | undefined;

async function run(original: Original, args: readonly string[]) {
  return (await original?.([...args])) ?? { stdout: "", stderr: "", exitCode: 127 };
}

/** `bash -eu -c SCRIPT`, `bash -x FILE`, `bash -s ARGS`: options are set by the script itself. */
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
