// `gsv budget`: lists budgets and their use; with a pid, those of one process; with a budget, sets it.

import { field } from "../../src/syscalls/define.ts";
import { spendingCalls } from "../../src/syscalls/system/spending.ts";
import { command } from "../define.ts";
import { printResult } from "../print.ts";

const [, list, change] = spendingCalls;
const { pid, budget: amounts } = change.input;

export const budget = command(
  {
    name: "budget",
    summary: "Show or set budgets",
    input: { pid: field.optional(pid), budget: field.optional(amounts) },
    examples: [
      "gsv budget",
      "gsv budget task:abc123",
      "gsv budget task:abc123 '$2,30m,200k'",
      "gsv budget task:abc123 '+$1'",
      "gsv budget task:abc123 none",
      "gsv config set budget.day '$10'",
    ],
    notes: [
      [
        "A budget limits a process and its children: money ($2, $0.50), run time (90s, 30m, 2h) and tokens (200k, 1M). Use quotes",
        "because of the $. Counting starts when the budget is set. A new budget replaces the old one and keeps the usage; + adds to it.",
      ].join("\n"),
      [
        "Run time excludes waiting for you. Tokens include input, output and cached",
        "tokens. At 80 % gsv warns you. At 100 % the processes pause until you raise the budget.",
      ].join("\n"),
      "budget.day limits an account per day (in userTimezone); budget.task is the default for new tasks.",
    ],
  },
  async ({ args, json }, io) => {
    const { pid: of, budget: written } = args;
    const call = written === undefined ? list : change;
    const given = written === undefined ? { pid: of } : { pid: of, budget: written };
    await printResult(io, call.cli.print, await io.sys().call(call.name, given), json);
    return 0;
  },
);
