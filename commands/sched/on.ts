// `gsv on EVENT`: watches an event. `--list` and `--rm` look after the watches.

import { field } from "../../src/syscalls/define.ts";
import { WATCH_INPUT } from "../../src/syscalls/due/signal.ts";
import { usageError } from "../args.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { printResult } from "../print.ts";

const { signal, ...rest } = WATCH_INPUT;

const spec = {
  name: "on",
  summary: "Do something when an event happens",
  input: {
    signal: field.optional(signal),
    ...rest,
    list: field.flag("list your watches"),
    rm: field.optional(field.text("remove this watch", { shortest: 1, longest: 64, meta: "KEY", of: "watch" })),
  },
  examples: [
    'gsv on chat.complete --pid task:abc123 --once --notify "The audit is done"',
    `gsv on chat.complete --where 'data.status == "error"' --send init:1000 "A run failed."`,
    `gsv on 'process.*' --key life --ttl 7d --exec 'cat >> ~/life.jsonl'`,
    "gsv on --list",
    "gsv on --rm life",
  ],
  notes: ["gsv events shows the events and their fields; gsv man watches has more."],
} as const;

export const on = command(spec, async ({ args, json }, io) => {
  const { list, rm, ...wanted } = args;
  const isAdding = Object.values(wanted).some((each) => each !== undefined && each !== false);
  if ([list === true, rm !== undefined, isAdding].filter(Boolean).length !== 1)
    throw usageError(spec, "use one of EVENT, --list and --rm KEY");
  if (isAdding && wanted.signal === undefined) throw usageError(spec, "no event named");
  const [name, request] = list
    ? (["signal.list", {}] as const)
    : rm !== undefined
      ? (["signal.unwatch", { key: rm }] as const)
      : (["signal.watch", wanted] as const);
  await printResult(io, (await declared(name)).cli.print, await io.sys().call(name, request), json);
  return 0;
});
