// `gsv ps`: proc.list, and with -l all columns even on a narrow terminal.

import { wantsColour } from "../../src/lib/text/colour.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { allPages, declared } from "../derive.ts";
import { table } from "../io/table-layout.ts";
import { printResult } from "../print.ts";

export async function ps(): Promise<Command> {
  const call = await declared("proc.list");
  const { print } = call.cli;
  const long = field.flag("all columns, even if lines wrap", { letter: "l" });
  const spec = {
    name: "ps",
    summary: call.summary,
    input: { ...call.input, long },
    examples: ["gsv ps", "gsv ps -l", "gsv ps --json", "gsv ps --uid 1000"],
  };
  const made = (isHabit: boolean) =>
    command(spec, async ({ args, json }, io) => {
      const { long: isLong, ...asked } = args;
      const page = await allPages(io.sys(), call, asked);
      if (!isLong || json || !io.stdout.isTTY || print.kind !== "table") await printResult(io, print, page, json);
      else {
        const colour = wantsColour(io.stdout.isTTY, io.env);
        const view = { colour, width: isHabit ? io.stdout.columns : Number.MAX_SAFE_INTEGER, nowMs: io.clock.now() };
        const columns = isHabit ? print.columns.map(({ minor: _, ...column }) => column) : print.columns;
        await io.stdout.write(table(columns, print.rows(page), view));
      }
      return 0;
    });
  const run: Command["run"] = (args, io) => made(args.some(isHabitual)).run(args.map(asLong), io);
  return { ...made(false), call: call.name, run };
}

/** `ps aux` and `ps -ef` are habits: all columns, cut to the screen. */
function isHabitual(word: string): boolean {
  return /^(?:-?a?u?x|-ef?l?|-A)$/.test(word);
}

function asLong(word: string): string {
  return isHabitual(word) ? "--long" : word;
}
