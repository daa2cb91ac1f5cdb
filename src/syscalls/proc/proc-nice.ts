// proc.nice: which process asks a shared provider first.

import { field, syscall } from "../define.ts";
import type { Niceness } from "../services.ts";

export const niceCalls = [
  syscall({
    name: "proc.nice",
    summary: "Show or set how willingly a process lets others ask a provider first",
    class: "keyed",
    capability: "proc.signal",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      nice: field.optional(
        field.text("from -20 to 19: the more, the later it asks", { positional: true, longest: 40, meta: "N" }),
      ),
    },
    cli: {
      examples: ["gsv nice task:abc123", "gsv nice task:abc123 10"],
      print: { kind: "value", text: ({ nice }: { nice: number }) => String(nice) },
    },
    run: ({ niceness }: { niceness: Niceness }, args, context) => niceness.nice(context, args.pid, args.nice),
  }),
] as const;
