// proc.model: who answers a process. Setting it is a person's; what a model costs and who reads along is no agent's to decide.

import type { ModelService, ProcessModel } from "./ai-service.ts";
import { field, syscall } from "./define.ts";

const onePid = field.pid("the process", { positional: true, meta: "PID" });

export const procModelCalls = [
  syscall({
    name: "proc.model",
    summary: "Show or set the model that answers a process",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid: onePid,
      model: field.optional(
        field.text("who answers from now on; an empty one leaves it to the account again", {
          positional: true,
          longest: 300,
          meta: "MODEL",
        }),
      ),
    },
    cli: {
      examples: [
        "gsv model init:1000",
        "gsv model task:abc123 anthropic/claude-sonnet-5-5",
        'gsv model task:abc123 ""',
      ],
      print: {
        kind: "value",
        text: ({ model, answers }: ProcessModel) => (model === null ? `${answers} (by the account)` : answers),
      },
    },
    run: ({ models }: { models: ModelService }, args, context) => models.ofProcess(context, args.pid, args.model),
  }),
] as const;
