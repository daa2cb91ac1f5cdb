// proc.nice: which process uses a shared provider first.

import { field, syscall } from "../define.ts";
import type { Niceness } from "../services.ts";

export const niceCalls = [
  syscall({
    name: "proc.nice",
    summary: "Show or set the priority of a process",
    class: "keyed",
    capability: "proc.signal",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      nice: field.optional(field.text("-20 (first) to 19 (last)", { positional: true, longest: 40, meta: "N" })),
    },
    cli: {
      examples: ["gsv nice task:abc123", "gsv nice task:abc123 10"],
      print: { kind: "value", text: ({ nice }: { nice: number }) => String(nice) },
    },
    run: ({ niceness }: { niceness: Niceness }, args, context) => niceness.nice(context, args.pid, args.nice),
  }),
] as const;
