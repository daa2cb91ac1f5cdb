// ai.*: models and providers. Listing and testing ask servers, so both need a kernel and may take a while.

import { field, syscall } from "../define.ts";
import type { ModelInfo, ModelPage, ModelService, ModelTrial, OutageInfo, OutageReports } from "./ai-service.ts";

const NAME_CHARS_MAX = 300;

export const aiCalls = [
  syscall({
    name: "ai.models",
    summary: "List available models",
    class: "wait",
    capability: "sys.config.get",
    input: {
      provider: field.optional(field.text("only of this provider", { longest: 40, meta: "NAME" })),
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
    summary: "Test a model with a one-word request",
    class: "wait",
    by: "person",
    capability: "sys.config.get",
    input: {
      model: field.optional(
        field.text("model to test (default: the current one)", {
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

  syscall({
    name: "ai.outages",
    summary: "List providers that do not answer",
    class: "read",
    capability: "proc.list",
    input: {},
    cli: {
      hidden: true,
      examples: ["gsv outage"],
      print: {
        kind: "table",
        rows: (result: { outages: readonly OutageInfo[] }) => result.outages,
        empty: "(all providers answer)",
        columns: [
          { head: "PROVIDER", cell: (row: OutageInfo) => row.provider },
          { head: "SINCE", cell: (row: OutageInfo) => new Date(row.since).toISOString() },
          { head: "TRIES", minor: 2, cell: (row: OutageInfo) => String(row.looks), align: "right" },
          { head: "NEXT TRY", cell: (row: OutageInfo) => new Date(row.nextTryAt).toISOString() },
          { head: "WAITING", cell: whoWaits },
          { head: "WHY", minor: 1, cell: (row: OutageInfo) => `${row.reason} (${row.class})`, shrink: true },
        ],
      },
    },
    run: ({ outages }: { outages: OutageReports }, _args, { caller }) => outages.list(caller),
  }),
] as const;

const PIDS_IN_ROW = 3;

function whoWaits({ waiting, pids }: OutageInfo): string {
  const more = waiting - Math.min(PIDS_IN_ROW, pids.length);
  return `${pids.slice(0, PIDS_IN_ROW).join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function thousands(tokens: number | null): string {
  return tokens === null ? "-" : `${Math.round(tokens / 1000)}k`;
}

function abilities({ thinks, sees }: ModelInfo): string {
  return [thinks ? "think" : "", sees ? "see" : ""].filter(Boolean).join(" ") || "-";
}

function dollars(price: number | null): string {
  return price === null ? "-" : String(price);
}
