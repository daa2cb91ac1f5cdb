// proc.extend and proc.restart: how long a run may go on, and what becomes of one that ends by a fault. Both bound what an agent may do, so
// both are a person's to say.

import { RESTART_RULES, type RestartRule } from "../../abi/process/process.ts";
import type { CallContext } from "../define.ts";
import { field, syscall } from "../define.ts";

export interface Extended {
  readonly pid: string;
  readonly endsAt: number;
}

export interface RestartRuleOf {
  readonly pid: string;
  /** Null where its session says so. */
  readonly restart: RestartRule | null;
}

export interface Lifecycle {
  extend(context: CallContext, request: { readonly pid: string; readonly seconds: number }): Promise<Extended>;
  restart(context: CallContext, request: { readonly pid: string; readonly rule?: RestartRule }): Promise<RestartRuleOf>;
}

const SECONDS_MAX = 31 * 24 * 60 * 60;
const MINUTES_30 = 30 * 60;

export const procLifeCalls = [
  syscall({
    name: "proc.extend",
    summary: "Give the current run more time",
    class: "keyed",
    once: "answer",
    by: "person",
    capability: "proc.signal",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      seconds: field.withDefault(
        field.int("seconds from now", { min: 1, max: SECONDS_MAX, positional: true, meta: "SECONDS" }),
        MINUTES_30,
      ),
    },
    cli: {
      examples: ["gsv proc extend init:1000", "gsv proc extend task:abc123 3600"],
      print: {
        kind: "value",
        text: ({ pid, endsAt }: Extended) => `${pid} may go on until ${new Date(endsAt).toISOString()}`,
      },
    },
    run: ({ lifecycle }: { lifecycle: Lifecycle }, args, context) => lifecycle.extend(context, args),
  }),

  syscall({
    name: "proc.restart",
    summary: "Show or set the restart rule",
    class: "keyed",
    once: "answer",
    by: "person",
    capability: "proc.signal",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      rule: field.optional(field.choice("new rule", RESTART_RULES, { positional: true })),
    },
    cli: {
      examples: ["gsv proc restart init:1000", "gsv proc restart task:abc123 on-failure"],
      print: { kind: "value", text: ({ restart }: RestartRuleOf) => restart ?? "as set for its session" },
    },
    run: ({ lifecycle }: { lifecycle: Lifecycle }, args, context) => lifecycle.restart(context, args),
  }),
] as const;
