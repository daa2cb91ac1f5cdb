// `gsv top`: the processes as a tree, printed once. In the gsv terminal, `top` is a live view.

import { field } from "../../src/syscalls/define.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";
import { dueText, nextDue } from "../sched/due-text.ts";
import { lookAtAll } from "./process-look.ts";
import { allProcesses } from "./process-names.ts";
import { flatRows, processTable, sorted, treeRows } from "./process-table.ts";

const SORTS = ["age", "state", "pid"] as const;
/** Nothing is cut in a pipe. */
const PIPE_COLUMNS = 100_000;

interface How {
  readonly flat?: boolean | undefined;
  readonly sort: (typeof SORTS)[number];
}

const spec = {
  name: "top",
  summary: "Show the processes as a tree",
  input: {
    once: field.flag("once (the default)", { letter: "b" }),
    times: field.withDefault(
      field.int("number of updates", { letter: "n", meta: "N", flag: "iterations", min: 1, max: 100_000 }),
      1,
    ),
    delay: field.withDefault(
      field.int("seconds between updates", { letter: "d", meta: "SECONDS", min: 1, max: 3600 }),
      3,
    ),
    flat: field.flag("flat list"),
    sort: field.withDefault(field.choice("sort order", SORTS), "age"),
  },
  examples: ["gsv top", "gsv top --flat --sort state", "gsv top --once --json", "gsv top -b -n 10 -d 60 > top.txt"],
  notes: [
    "--json prints the fields of gsv ps --json plus model and context (the used part of the model's window).",
    "In the gsv terminal, top is a live view with rates, context and cost. Keys: enter switch, l logs, c calls, q quit.",
  ],
};

export const top = command(spec, async ({ args, json }, io) => {
  for (let left = args.times; left > 0; left--) {
    await printOnce(args, json, io);
    if (left > 1) await io.clock.sleep(args.delay * 1000);
  }
  return 0;
});

async function printOnce(how: How, json: boolean, io: Io): Promise<void> {
  const processes = sorted(await allProcesses(io), how.sort);
  if (json) {
    const look = await lookAtAll(io.sys(), processes);
    await io.stdout.write(processes.map((process) => jsonLine({ ...process, ...look(process) })).join(""));
    return;
  }
  const rows = (how.flat ? flatRows : treeRows)(processes);
  const columns = io.stdout.isTTY ? io.stdout.columns : PIPE_COLUMNS;
  const { head, lines } = processTable(rows, { columns, now: io.clock.now() });
  await printText(io.stdout, `${[head, ...lines].join("\n")}\n`);
  const due = await nextDue(io.sys());
  if (due !== null) await note(io, `gsv: next: ${dueText(due, io.clock.now())}`);
}
