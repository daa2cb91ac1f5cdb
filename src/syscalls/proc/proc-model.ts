// proc.model and proc.think. Only a person may set them: an agent must not decide costs or which server reads the text.

import { initPid } from "../../abi/ids.ts";
import { field, syscall } from "../define.ts";
import { answersText, type ModelService, type ProcessModel, type ProcessThinking } from "../run/ai-service.ts";

const pid = field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" }));

export const procModelCalls = [
  syscall({
    name: "proc.model",
    summary: "Show or set the model of a process",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid,
      model: field.optional(
        field.text("new model; empty for the account's default", {
          positional: true,
          longest: 300,
          meta: "MODEL",
        }),
      ),
    },
    cli: {
      examples: ["gsv model", "gsv model task:abc123 anthropic/claude-sonnet-5-5", 'gsv model task:abc123 ""'],
      print: {
        kind: "value",
        text: (result: ProcessModel) => answersText(result),
      },
    },
    run: ({ models }: { models: ModelService }, args, context) =>
      models.ofProcess(context, args.pid ?? initPid(context.caller.ownerUid), args.model),
  }),

  syscall({
    name: "proc.think",
    summary: "Show or set the reasoning effort",
    class: "keyed",
    once: "answer",
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
      print: {
        kind: "value",
        text: ({ thinking, usual }: ProcessThinking) => thinking ?? `${usual} (account default)`,
      },
    },
    run: ({ models }: { models: ModelService }, args, context) =>
      models.thinking(context, args.pid ?? initPid(context.caller.ownerUid), args.level),
  }),
] as const;
