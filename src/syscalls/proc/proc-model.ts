// proc.model: who answers a process. Setting it is a person's; what a model costs and who reads along is no agent's to decide.

import { initPid } from "../../abi/ids.ts";
import { field, syscall } from "../define.ts";
import { answersText, type ModelService, type ProcessModel, type ProcessThinking } from "../run/ai-service.ts";

const pid = field.optional(field.pid("the process; your init when left out", { positional: true, meta: "PID" }));

export const procModelCalls = [
  syscall({
    name: "proc.model",
    summary: "Show or set the model that answers a process",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid,
      model: field.optional(
        field.text("who answers from now on; an empty one leaves it to the account again", {
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
    summary: "Show or set how much the model of a process thinks",
    class: "keyed",
    once: "answer",
    capability: "proc.model",
    by: "person",
    input: {
      pid,
      level: field.optional(
        field.text("off, minimal, low, medium, high or xhigh; an empty one leaves it to the account again", {
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
        text: ({ thinking, usual }: ProcessThinking) => thinking ?? `${usual} (by the account)`,
      },
    },
    run: ({ models }: { models: ModelService }, args, context) =>
      models.thinking(context, args.pid ?? initPid(context.caller.ownerUid), args.level),
  }),
] as const;
