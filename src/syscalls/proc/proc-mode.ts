// proc.mode: the approval mode of a process. Only a person may set it.

import { initPid } from "../../abi/ids.ts";
import { MODES } from "../../abi/policy.ts";
import type { PolicyService, ProcessMode } from "../approval/policy-service.ts";
import { field, syscall } from "../define.ts";

export const procModeCalls = [
  syscall({
    name: "proc.mode",
    summary: "Show or set the approval mode",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid: field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" })),
      mode: field.optional(field.choice("new mode", MODES, { positional: true })),
    },
    cli: {
      examples: ["gsv mode", "gsv mode init:1000 plan", "gsv mode task:abc123 auto-edit"],
      print: { kind: "value", text: ({ mode }: ProcessMode) => mode },
    },
    run: ({ policy }: { policy: PolicyService }, args, context) =>
      policy.mode(context, args.pid ?? initPid(context.caller.ownerUid), args.mode),
  }),
] as const;
