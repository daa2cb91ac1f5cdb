// ai.*: models and providers. Listing and testing ask servers, so both need a kernel and may take a while.

import type { Caller } from "../../abi/identity.ts";
import type { Usage } from "../../abi/process/process.ts";
import type { Thinking } from "../../abi/process/session.ts";
import type { Failure, FailureClass, ServedModel } from "../../abi/stream.ts";
import { type CallContext, field, syscall, value } from "../define.ts";

export interface ModelInfo {
  /** As --model takes it. */
  readonly model: string;
  readonly provider: string;
  /** Null if unknown. */
  readonly windowTokens: number | null;
  readonly outputTokens: number | null;
  /** Per million tokens. */
  readonly inputUsd: number | null;
  readonly outputUsd: number | null;
  readonly price: ServedModel["price"] | null;
  /** Null if unknown. */
  readonly thinks: boolean | null;
  readonly sees: boolean | null;
  readonly aliases: readonly string[];
  /** Source of the entry: its server, or gsv's own list. */
  readonly from: "server" | "gsv";
}

export interface ModelPage {
  readonly models: readonly ModelInfo[];
  /** Why a list is incomplete. */
  readonly notes: readonly string[];
}

export interface ModelTrial {
  readonly model: string;
  /** Where it was asked; null for a built-in provider. */
  readonly address: string | null;
  readonly ok: boolean;
  readonly ms: number;
  readonly text: string;
  readonly usage: Usage | null;
  /** False if the price is unknown; the cost is then 0. */
  readonly priced: boolean;
  readonly failure: Failure | null;
}

export interface ProcessModel {
  readonly pid: string;
  /** Set for the process; null for the account's default. */
  readonly model: string | null;
  /** The model that answers the next message. */
  readonly answers: string;
  /** What decides that. `environment` and `flag` only hold for the caller's own messages. */
  readonly by: "process" | "agent" | "account" | "environment" | "flag";
}

export function answersText({ answers, by }: ProcessModel): string {
  if (by === "process") return answers;
  const source = {
    agent: "from its agent",
    account: "account default",
    environment: "from the environment",
    flag: "from --set",
  };
  return `${answers} (${source[by]})`;
}

export interface ProcessThinking {
  readonly pid: string;
  /** Set for the process; null for the account's default. */
  readonly thinking: Thinking | null;
  /** The account's default. */
  readonly usual: string;
}

export interface ModelService {
  list(context: CallContext, provider: string | undefined): Promise<ModelPage>;
  test(context: CallContext, model: string | undefined): Promise<ModelTrial>;
  /** Sets the model if one is given; an empty one unsets it. */
  ofProcess(context: CallContext, pid: string, model: string | undefined): Promise<ProcessModel>;
  /** The same for the reasoning effort. */
  thinking(context: CallContext, pid: string, level: string | undefined): Promise<ProcessThinking>;
}

/** A provider that does not answer. */
export interface OutageInfo {
  readonly provider: string;
  readonly class: FailureClass;
  readonly reason: string;
  readonly since: number;
  readonly nextTryAt: number;
  /** Number of failed tries. */
  readonly looks: number;
  readonly waiting: number;
  /** Processes that wait for it, at most the first ones. */
  readonly pids: readonly string[];
}

export interface OutageReports {
  list(caller: Caller): Promise<{ readonly outages: readonly OutageInfo[] }>;
}

const NAME_CHARS_MAX = 300;

export const aiCalls = [
  syscall({
    name: "ai.models",
    summary: "List available models",
    class: "wait",
    capability: "sys.config.get",
    input: { provider: field.optional(field.text("only of this provider", { longest: 40, meta: "NAME" })) },
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
      print: value(({ model, failure, text }: ModelTrial) => `${model}: ${failure?.message ?? text}`),
    },
    run: ({ models }: { models: ModelService }, args, context) => models.test(context, args.model),
  }),

  syscall({
    name: "ai.outages",
    summary: "List providers that are down",
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
          { head: "SINCE", since: "since" },
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
