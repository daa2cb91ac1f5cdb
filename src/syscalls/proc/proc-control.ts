// How a process runs: proc.model, proc.think, proc.mode, proc.nice, proc.extend, proc.restart. Only a person sets costs, servers and limits.

import { initPid } from "../../abi/ids.ts";
import { MODE_ALIASES, MODES } from "../../abi/policy.ts";
import { RESTART_RULES, type RestartRule } from "../../abi/process/process.ts";
import type { PolicyService, ProcessMode } from "../approval/policy.ts";
import { type CallContext, field, syscall, value } from "../define.ts";
import { answersText, type ModelService, type ProcessThinking } from "../run/ai.ts";
import type { Niceness } from "../services.ts";

interface Extended {
  readonly pid: string;
  readonly endsAt: number;
}

interface RestartRuleOf {
  readonly pid: string;
  /** null if its session decides. */
  readonly restart: RestartRule | null;
}

export interface Lifecycle {
  extend(context: CallContext, request: { readonly pid: string; readonly seconds: number }): Promise<Extended>;
  restart(context: CallContext, request: { readonly pid: string; readonly rule?: RestartRule }): Promise<RestartRuleOf>;
}

const SECONDS_MAX = 31 * 24 * 60 * 60;
const MINUTES_30 = 30 * 60;

const pid = field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" }));

export const procControlCalls = [
  syscall({
    name: "proc.model",
    summary: "Show or set the model of a process",
    class: "keyed",
    by: "person",
    input: {
      pid,
      model: field.optional(
        field.text("new model; empty for the account's default", { positional: true, longest: 300, meta: "MODEL" }),
      ),
    },
    cli: {
      examples: ["gsv model", "gsv model task:abc123 anthropic/claude-sonnet-5-5", 'gsv model task:abc123 ""'],
      print: value(answersText),
    },
    run: ({ models }: { models: ModelService }, args, context) =>
      models.ofProcess(context, args.pid ?? initPid(context.caller.ownerUid), args.model),
  }),

  syscall({
    name: "proc.think",
    summary: "Show or set the reasoning effort",
    class: "keyed",
    capability: "proc.model",
    by: "person",
    input: {
      pid,
      level: field.optional(
        field.text("off, minimal, low, medium, high or xhigh; empty for the account's default", {
          positional: true,
          longest: 10,
          meta: "LEVEL",
        }),
      ),
    },
    cli: {
      examples: ["gsv proc think", "gsv proc think task:abc123 high", 'gsv proc think task:abc123 ""'],
      print: value(({ thinking, usual }: ProcessThinking) => thinking ?? `${usual} (account default)`),
    },
    run: ({ models }: { models: ModelService }, args, context) =>
      models.thinking(context, args.pid ?? initPid(context.caller.ownerUid), args.level),
  }),

  syscall({
    name: "proc.mode",
    summary: "Show or set the approval mode",
    class: "keyed",
    by: "person",
    input: { pid, mode: field.optional(field.choice("new mode", MODES, { aliases: MODE_ALIASES, positional: true })) },
    cli: {
      examples: ["gsv mode", "gsv mode init:1000 plan", "gsv mode task:abc123 accept-edits"],
      print: value(({ mode }: ProcessMode) => mode),
    },
    run: ({ policy }: { policy: PolicyService }, args, context) =>
      policy.mode(context, args.pid ?? initPid(context.caller.ownerUid), args.mode),
  }),

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
      print: value(({ nice }: { nice: number }) => String(nice)),
    },
    run: ({ niceness }: { niceness: Niceness }, args, context) => niceness.nice(context, args.pid, args.nice),
  }),

  syscall({
    name: "proc.extend",
    summary: "Give the current run more time",
    class: "keyed",
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
      print: value(({ pid, endsAt }: Extended, when) => `${pid} may run until ${when(endsAt)}`),
    },
    run: ({ lifecycle }: { lifecycle: Lifecycle }, args, context) => lifecycle.extend(context, args),
  }),

  syscall({
    name: "proc.restart",
    summary: "Show or set the restart rule",
    class: "keyed",
    by: "person",
    capability: "proc.signal",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      rule: field.optional(field.choice("new rule", RESTART_RULES, { positional: true })),
    },
    cli: {
      examples: ["gsv proc restart init:1000", "gsv proc restart task:abc123 on-failure"],
      print: value(({ restart }: RestartRuleOf) => restart ?? "as set for its session"),
    },
    run: ({ lifecycle }: { lifecycle: Lifecycle }, args, context) => lifecycle.restart(context, args),
  }),
] as const;
