// `gsv renice [-n] N PID...`: sets the priority of processes, as on Unix.

import { field } from "../../src/syscalls/define.ts";
import { looksLikeFlag, usageError } from "../args.ts";
import type { Command } from "../command.ts";
import { resolved, showHelp } from "../define.ts";
import { declared } from "../derive.ts";
import { parseCommandLine } from "../parse.ts";
import { printResult } from "../print.ts";
import { onEach } from "./kill.ts";

const NUMBER = /^[+-]?[0-9]{1,3}$/;
/** Part of the Unix form `renice -n N -p PID`, and without a meaning here. */
const IGNORED = ["-n", "-p", "--"];

const spec = {
  name: "renice",
  summary: "Set the priority of processes",
  usage: "gsv renice [-n] N PID... [--json]",
  input: {
    nice: field.text("priority: -20 (first) to 19 (last)", { positional: true, meta: "N", longest: 4 }),
    pids: field.words("the processes", { positional: true, meta: "PID...", of: "process" }),
  },
  examples: ["gsv renice 5 task:abc123", "gsv renice -n -5 init:1000"],
  notes: ["gsv nice PID shows the priority of a process."],
};

export const renice: Command = {
  spec,
  async run(args, io) {
    // A negative number looks like a flag.
    const number = args.findIndex((word) => NUMBER.test(word));
    const isWord = (word: string, at: number) => at === number || !looksLikeFlag(word);
    const words = args.filter(isWord);
    const flags = args.filter((word, at) => !isWord(word, at) && !IGNORED.includes(word));
    const stray = flags.find((word) => NUMBER.test(word));
    if (stray !== undefined) throw usageError(spec, `unknown flag ${stray}`);
    const parsed = await parseCommandLine(spec, [...flags, "--", ...words]);
    if (parsed === "help") return showHelp(io, spec);
    const { json } = parsed;
    const values = await resolved(spec, parsed.values, io);
    const { print } = (await declared("proc.nice")).cli;
    const act = async (pid: string) =>
      printResult(io, print, await io.sys().call("proc.nice", { pid, nice: values.nice }), json);
    return onEach(io, values.pids, { json, act });
  },
};
