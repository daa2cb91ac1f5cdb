// ai.*: who can answer, and whether they do. Listing and trying ask servers, so both need a kernel and may take a while.

import type { ModelInfo, ModelPage, ModelService, ModelTrial } from "./ai-service.ts";
import { field, syscall } from "./define.ts";

const NAME_CHARS_MAX = 300;

export const aiCalls = [
  syscall({
    name: "ai.models",
    summary: "List the models there are, as their servers tell where they can be asked",
    class: "wait",
    capability: "sys.config.get",
    input: {
      provider: field.optional(field.text("only this provider's", { longest: 40, meta: "NAME" })),
    },
    cli: {
      examples: ["gsv models", "gsv models --provider ollama", "gsv models --json"],
      print: {
        kind: "table",
        rows: (page: ModelPage) => page.models,
        empty: "(no models)",
        cut: (page: ModelPage) => (page.notes.length === 0 ? null : page.notes.join("\n")),
        columns: [
          { head: "MODEL", cell: (row: ModelInfo) => row.model, shrink: true },
          { head: "WINDOW", cell: (row: ModelInfo) => thousands(row.windowTokens), align: "right" },
          { head: "OUTPUT", minor: 1, cell: (row: ModelInfo) => thousands(row.outputTokens), align: "right" },
          { head: "$ IN", minor: 2, cell: (row: ModelInfo) => dollars(row.inputUsd), align: "right" },
          { head: "$ OUT", minor: 2, cell: (row: ModelInfo) => dollars(row.outputUsd), align: "right" },
          { head: "CAN", minor: 3, cell: abilities },
          { head: "ALSO", minor: 3, cell: (row: ModelInfo) => row.aliases.join(" ") || "-" },
          { head: "FROM", minor: 4, cell: (row: ModelInfo) => row.from },
        ],
      },
    },
    run: ({ models }: { models: ModelService }, args, context) => models.list(context, args.provider),
  }),

  syscall({
    name: "ai.test",
    summary: "Ask a model for one word, and say what came of it",
    class: "wait",
    by: "person",
    capability: "sys.config.get",
    input: {
      model: field.optional(
        field.text("who is asked; whoever would answer now when left out", {
          positional: true,
          longest: NAME_CHARS_MAX,
          meta: "MODEL",
        }),
      ),
    },
    cli: {
      examples: ["gsv ai test", "gsv ai test ollama/llama3.2"],
      print: { kind: "value", text: ({ model, failure, text }: ModelTrial) => `${model}: ${failure?.message ?? text}` },
    },
    run: ({ models }: { models: ModelService }, args, context) => models.test(context, args.model),
  }),
] as const;

function thousands(tokens: number | null): string {
  return tokens === null ? "-" : `${Math.round(tokens / 1000)}k`;
}

function abilities({ thinks, sees }: ModelInfo): string {
  return [thinks ? "think" : "", sees ? "see" : ""].filter(Boolean).join(" ") || "-";
}

function dollars(price: number | null): string {
  return price === null ? "-" : String(price);
}
