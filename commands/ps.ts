// `gsv ps`: proc.list under its short name, and with -l every column, however narrow the terminal is.

import { field } from "../src/syscalls/define.ts";
import type { Command } from "./command.ts";
import { command } from "./define.ts";
import { allPages, declared } from "./derive.ts";
import { printResult, table } from "./print.ts";

export async function ps(): Promise<Command> {
  const call = await declared("proc.list");
  const { print } = call.cli;
  const long = field.flag("all columns, also where they do not fit on a line", { letter: "l" });
  const spec = {
    name: "ps",
    summary: call.summary,
    input: { ...call.input, long },
    examples: ["gsv ps", "gsv ps -l", "gsv ps --json", "gsv ps --uid 1000"],
  };
  const made = command(spec, async ({ args, json }, io) => {
    const { long: isLong, ...asked } = args;
    const page = await allPages(io.sys(), call, asked);
    if (!isLong || json || !io.stdout.isTTY || print.kind !== "table") await printResult(io, print, page, json);
    else {
      const view = { width: Number.MAX_SAFE_INTEGER, nowMs: io.clock.now() };
      await io.stdout.write(table(print.columns, print.rows(page), view));
    }
    return 0;
  });
  return { ...made, call: call.name, run: (args, io) => made.run(args.map(asLong), io) };
}

/** `ps aux` and `ps -ef` are in many fingers: all there is to see, with all columns. */
function asLong(word: string): string {
  return /^(?:-?a?u?x|-ef?l?|-A)$/.test(word) ? "--long" : word;
}
