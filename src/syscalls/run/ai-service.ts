// Models as callers see them: those there are, and what came of asking one.

import type { Caller } from "../../abi/identity.ts";
import type { Usage } from "../../abi/process/process.ts";
import type { Thinking } from "../../abi/process/session.ts";
import type { Failure, FailureClass, ServedModel } from "../../abi/stream.ts";
import type { CallContext } from "../define.ts";

export interface ModelInfo {
  /** As --model takes it. */
  readonly model: string;
  readonly provider: string;
  /** Null where neither its server nor gsv knows. */
  readonly windowTokens: number | null;
  readonly outputTokens: number | null;
  /** For a million tokens. */
  readonly inputUsd: number | null;
  readonly outputUsd: number | null;
  readonly price: ServedModel["price"] | null;
  /** Abilities; null where nobody knows. */
  readonly thinks: boolean | null;
  readonly sees: boolean | null;
  readonly aliases: readonly string[];
  /** Who lists it. */
  readonly from: "server" | "gsv";
}

export interface ModelPage {
  readonly models: readonly ModelInfo[];
  /** Why something is not listed as its server would. */
  readonly notes: readonly string[];
}

export interface ModelTrial {
  readonly model: string;
  /** Where it was asked; null on this machine. */
  readonly address: string | null;
  readonly ok: boolean;
  readonly ms: number;
  readonly text: string;
  readonly usage: Usage | null;
  /** Whether its price is known, so that its cost is more than a guess of nothing. */
  readonly priced: boolean;
  readonly failure: Failure | null;
}

export interface ProcessModel {
  readonly pid: string;
  /** What was set for the process; null leaves it to the account. */
  readonly model: string | null;
  /** Who answers its next message. */
  readonly answers: string;
  /** Where that is said, for whoever asks: the last two hold for their own messages. */
  readonly by: "process" | "agent" | "account" | "environment" | "flag";
}

/** Who answers, in a line. */
export function answersText({ answers, by }: ProcessModel): string {
  if (by === "process") return answers;
  return `${answers} (by ${by === "agent" ? "its agent" : by === "flag" ? "--set" : `the ${by}`})`;
}

export interface ProcessThinking {
  readonly pid: string;
  /** What was set for the process; null leaves it to the account. */
  readonly thinking: Thinking | null;
  /** What the account says. */
  readonly usual: string;
}

export interface ModelService {
  list(context: CallContext, provider: string | undefined): Promise<ModelPage>;
  test(context: CallContext, model: string | undefined): Promise<ModelTrial>;
  /** Sets it where one is given; an empty one takes it back. */
  ofProcess(context: CallContext, pid: string, model: string | undefined): Promise<ProcessModel>;
  /** The same for how much it thinks. */
  thinking(context: CallContext, pid: string, level: string | undefined): Promise<ProcessThinking>;
}

/** A provider that does not answer, and who waits for it. */
export interface OutageInfo {
  readonly provider: string;
  readonly class: FailureClass;
  readonly reason: string;
  readonly since: number;
  readonly nextTryAt: number;
  /** How often it was found not to answer. */
  readonly looks: number;
  readonly waiting: number;
  /** Those that wait, the first of them where they are many. */
  readonly pids: readonly string[];
}

export interface OutageReports {
  list(caller: Caller): Promise<{ readonly outages: readonly OutageInfo[] }>;
}
