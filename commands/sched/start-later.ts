// `gsv at WHEN TEXT` and `gsv every 10m TEXT`: add a schedule in one line. All words but the last are the time.

import { field } from "../../src/syscalls/define.ts";
import type { AddedSchedule } from "../../src/syscalls/due/sched-service.ts";
import { usageError } from "../args.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { printResult } from "../print.ts";

const ABOUT = {
  at: {
    summary: "Start something once, at a time",
    meta: "WHEN... TEXT",
    doc: "the time, then the message, prompt or command",
    examples: [
      'gsv at 17:30 "Remind me to go home."',
      'gsv at tomorrow 9am --new "Summarize the open issues."',
      'gsv at in 20 minutes --exec "date >> ~/times"',
    ],
  },
  every: {
    summary: "Start something again and again",
    meta: "INTERVAL... TEXT",
    doc: "the interval, then the message, prompt or command",
    examples: ['gsv every 10m --exec "df -h" --name disk', 'gsv every 1 hour --new "Check the build." --name build'],
  },
} as const;

export async function startLater(name: keyof typeof ABOUT): Promise<Command> {
  const add = await declared("sched.add");
  const { when: _when, text: _text, ...rest } = add.input;
  const { summary, meta, doc, examples } = ABOUT[name];
  const input = { words: field.words(doc, { positional: true, longest: 256 * 1024, meta }), ...rest };
  const spec = { name, summary, input, examples, notes: ["gsv man schedules has all forms of a time."] };
  return command(spec, async ({ args, json }, io) => {
    const { words, ...more } = args as { readonly words: readonly string[] };
    if (words.length < 2) throw usageError(spec, `${name} needs a time and a text`);
    const time = words.slice(0, -1).join(" ");
    const when = name === "every" ? `every ${time}` : time;
    const added = await io.sys().call<AddedSchedule>("sched.add", { ...more, when, text: words.at(-1) });
    await printResult(io, add.cli.print, added, json);
    return 0;
  });
}
