// A hand-written command from its field table: parsing, help and usage come from the table, the work from `work`.

import type { Args, Fields } from "../src/syscalls/define.ts";
import type { Spec } from "./args.ts";
import type { Command, Io } from "./command.ts";
import { parseCommandLine } from "./parse.ts";

export interface Invocation<F extends Fields> {
  readonly args: Args<F>;
  readonly json: boolean;
}

export function command<F extends Fields>(
  spec: Spec<F>,
  work: (invocation: Invocation<F>, io: Io) => Promise<number>,
): Command {
  return {
    spec,
    async run(args, io) {
      const parsed = await parseCommandLine(spec, args);
      if (parsed === "help") return showHelp(io, spec);
      return work({ args: parsed.values, json: parsed.json }, io);
    },
  };
}

export async function showHelp(io: Io, spec: Spec): Promise<number> {
  const { helpText } = await import("./man/help-text.ts");
  const { lookOf, read } = await import("./io/pager.ts");
  return read(io, helpText(spec, lookOf(io)));
}
