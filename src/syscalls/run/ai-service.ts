// Models as callers see them.

import type { Caller } from "../../abi/identity.ts";
import type { Usage } from "../../abi/process/process.ts";
import type { Thinking } from "../../abi/process/session.ts";
import type { Failure, FailureClass, ServedModel } from "../../abi/stream.ts";
import type { CallContext } from "../define.ts";

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
