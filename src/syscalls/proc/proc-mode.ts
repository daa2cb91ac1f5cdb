// proc.mode: how much a process may do without asking. Seeing it is everybody's, setting it a person's alone.

import { initPid } from "../../abi/ids.ts";
import { MODES } from "../../abi/policy.ts";
import type { PolicyService, ProcessMode } from "../approval/policy-service.ts";
import { field, syscall } from "../define.ts";

export const procModeCalls = [
  syscall({
    name: "proc.mode",
    summary: "Show or set how much a process may do without asking",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid: field.optional(field.pid("the process; your init when left out", { positional: true, meta: "PID" })),
      mode: field.optional(field.choice("from now on", MODES, { positional: true })),
    },
    cli: {
      examples: ["gsv mode", "gsv mode init:1000 plan", "gsv mode task:abc123 auto-edit"],
      print: { kind: "value", text: ({ mode }: ProcessMode) => mode },
    },
    run: ({ policy }: { policy: PolicyService }, args, context) =>
      policy.mode(context, args.pid ?? initPid(context.caller.ownerUid), args.mode),
  }),
] as const;
