// `gsv logs PID`: the newest page of a process's history as text.

import { LIMITS } from "../src/abi/limits.ts";
import { field } from "../src/syscalls/define.ts";
import { command } from "./define.ts";
import { declared } from "./derive.ts";
import { printResult } from "./print.ts";

const spec = {
  name: "logs",
  summary: "Print what was said in a process lately, oldest first",
  input: {
    pid: field.optional(field.pid("the process; your init when left out", { positional: true, meta: "PID" })),
    limit: field.withDefault(
      field.int("how many messages", { min: 1, max: LIMITS.historyPageMax, letter: "n", meta: "N" }),
      LIMITS.historyPageDefault,
    ),
  },
  examples: ["gsv logs task:abc123", "gsv logs task:abc123 --limit 5"],
  notes: ["gsv proc history has the older pages."],
};

export const logs = command(spec, async ({ args, json }, io) => {
  await printResult(io, (await declared("proc.history")).cli.print, await io.sys().call("proc.history", args), json);
  return 0;
});
