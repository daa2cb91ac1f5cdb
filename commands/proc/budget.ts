// `gsv budget`: what is bounded and how much of it is used; with a pid, what that process spends from; with a budget after it, a new one.

import { field } from "../../src/syscalls/define.ts";
import { spendingCalls } from "../../src/syscalls/system/spending.ts";
import { command } from "../define.ts";
import { printResult } from "../print.ts";

const [, list, change] = spendingCalls;
const { pid, budget: amounts } = change.input;

export const budget = command(
  {
    name: "budget",
    summary: "Show or set what processes may use",
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
        "A budget bounds a process and all it starts: money as $2 or $0.50, run time as 90s, 30m or 2h, tokens as 200k or 1M; in quotes,",
        "because of the $. It counts from when it is first set. A new one takes the place of the old and keeps what was used; + raises it.",
      ].join("\n"),
      [
        "Run time is the time a run is at work, not the time it waits for you. Tokens are all that are read and written, the cached ones",
        "too. At 80 % you are told; when it is used up, its processes are paused and go on when you raise it.",
      ].join("\n"),
      "budget.day bounds all of an account in a day of its time zone (userTimezone), budget.task a new task where nothing else is said.",
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
