// `gsv renice`: as Unix writes it, the number first, or with -n; a pid and then the number does as well.

import { exitStatusOf } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { asks, usageError } from "../args.ts";
import type { Command } from "../command.ts";
import { declared } from "../derive.ts";
import { lookOf, read } from "../io/pager.ts";
import { printError } from "../io/status.ts";
import { helpText } from "../man/help-text.ts";
import { parseCommandLine } from "../parse.ts";
import { printResult } from "../print.ts";

const NUMBER = /^[+-]?[0-9]{1,3}$/;

const spec = {
  name: "renice",
  summary: "Set the priority of processes",
  usage: "gsv renice [-n] N PID... [--json]",
  input: {
    words: field.words("-20 (first) to 19 (last), then the processes", {
      positional: true,
      meta: "N PID...",
      of: "process",
    }),
    priority: field.optional(field.text("priority, -20 to 19", { letter: "n", meta: "N", longest: 4 })),
    pids: field.flag("ignored; the processes are always ids", { letter: "p", flag: "pid" }),
  },
  examples: ["gsv renice 5 task:abc123", "gsv renice -n -5 init:1000"],
  notes: ["gsv nice PID shows the priority of a process."],
};

export const renice: Command = {
  name: spec.name,
  summary: spec.summary,
  examples: spec.examples,
  spec,
  async run(args, io) {
    const parsed = await parseCommandLine(spec, asks(args, "--help", "-h") ? args : withNumberFlag(args));
    if (parsed === "help") return read(io, helpText(spec, lookOf(io)));
    const { nice, pids } = meant(parsed.values);
    let exit = 0;
    for (const pid of pids) {
      try {
        const set = await io.sys().call("proc.nice", { pid, nice });
        await printResult(io, (await declared("proc.nice")).cli.print, set, parsed.json);
      } catch (error) {
        if (pids.length === 1) throw error;
        exit = exitStatusOf(error);
        await printError(io, error, parsed.json);
      }
    }
    return exit;
  },
};

// A negative number such as `-5` looks like a flag, also as the value of -n.
function withNumberFlag(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.flatMap((token, index) => {
    const isBefore = end === -1 || index < end;
    if (isBefore && /^(?:-n|--priority)$/.test(token) && /^-[0-9]/.test(args[index + 1] ?? "")) return [];
    return isBefore && /^-[0-9]{1,3}$/.test(token) ? [`--priority=${token}`] : [token];
  });
}

function meant({ words, priority }: { readonly words: readonly string[]; readonly priority?: string | undefined }) {
  const [first = "", ...rest] = words;
  const last = words.at(-1) ?? "";
  const [nice, pids] =
    priority !== undefined
      ? [priority, words]
      : NUMBER.test(first)
        ? [first, rest]
        : NUMBER.test(last)
          ? [last, words.slice(0, -1)]
          : [undefined, words];
  if (nice === undefined) throw usageError(spec, "N is missing: a number from -20 to 19");
  if (pids.length === 0) throw usageError(spec, "PID is missing");
  return { nice, pids };
}
