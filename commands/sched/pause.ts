// `gsv sched pause` and `gsv sched resume`.

import { field } from "../../src/syscalls/define.ts";
import type { AddedSchedule } from "../../src/syscalls/due/sched-service.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { printResult } from "../print.ts";

const ABOUT = {
  pause: { enabled: "off", summary: "Pause a schedule" },
  resume: { enabled: "on", summary: "Resume a paused schedule" },
} as const;

export function pauseAs(verb: keyof typeof ABOUT): Command {
  const { enabled, summary } = ABOUT[verb];
  const schedule = field.text("the schedule", {
    ...{ positional: true, shortest: 1, longest: 64, meta: "NAME", of: "schedule" },
  });
  const spec = { name: `sched ${verb}`, summary, input: { schedule }, examples: [`gsv sched ${verb} news`] };
  return command(spec, async ({ args, json }, io) => {
    const changed = await io.sys().call<AddedSchedule>("sched.update", { schedule: args.schedule, enabled });
    await printResult(io, (await declared("sched.update")).cli.print, changed, json);
    return 0;
  });
}
