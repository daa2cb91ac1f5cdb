// `gsv ps`: proc.list, and with -l all columns even on a narrow terminal.

import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { wantsColour } from "../../src/lib/text/colour.ts";
import { type Column, field } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { allPages, declared } from "../derive.ts";
import { note } from "../io/status.ts";
import { table } from "../io/table-layout.ts";
import { printPage, printResult } from "../print.ts";
import { inRealPlaces } from "./real-places.ts";

export async function ps(): Promise<Command> {
  const call = await declared("proc.list");
  const { print } = call.cli;
  const long = field.flag("all columns; what does not fit stands below its process", { letter: "l" });
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
      if (json || !io.stdout.isTTY || print.kind !== "table") await printResult(io, print, page, json);
      else {
        const view = {
          colour: wantsColour(true, io.env),
          width: io.stdout.columns,
          nowMs: io.clock.now(),
          isWhole: isLong && !isHabit,
        };
        const columns = isLong ? print.columns.map(isHabit ? cut : below) : print.columns;
        const rows = await inRealPlaces(io, print.rows(page) as readonly ProcessInfo[]);
        if (rows.length === 0) await note(io, print.empty);
        else await printPage(io, table(columns, rows, view), { isInert: true });
      }
      return 0;
    });
  const run: Command["run"] = (args, io) =>
    made(args.some(isHabitual)).run(
      args.map((word) => (isHabitual(word) ? "--long" : word)),
      io,
    );
  return { ...made(false), call: call.name, run };
}

const MINOR_BESIDE = 2;

function cut({ minor: _, ...column }: Column): Column {
  return column;
}

/** What a narrow screen has no room for stands below its process. */
function below(column: Column): Column {
  return (column.minor ?? 0) > MINOR_BESIDE || column.head === "WAITS FOR" ? { ...column, below: true } : column;
}

/** `ps aux` and `ps -ef` are habits: all columns, cut to the screen. */
function isHabitual(word: string): boolean {
  return /^(?:-?a?u?x|-ef?l?|-A)$/.test(word);
}
