// A process as its owner sees it. kernel.db and the process database both use these terms.

import type { Grant } from "../grants.ts";
import type { Mode } from "../policy.ts";
import type { FailureClass } from "../stream.ts";
import { microsOf, type Tokens, usdOf } from "./money.ts";

export const STATES = [
  "idle",
  "queued",
  "running",
  "waiting_tool",
  "waiting_hil",
  "paused",
  "stopped",
  "error",
] as const;
export type State = (typeof STATES)[number];

/** States with work for a kernel. Without a kernel they are shown as interrupted. */
export const WORKING_STATES: readonly State[] = ["queued", "running", "waiting_tool"];

export const PROFILES = ["init", "task", "review", "cron", "mcp", "app"] as const;
export type Profile = (typeof PROFILES)[number];

/** Profiles without a person: an approval becomes an error result. */
export const PROFILES_ALONE: readonly Profile[] = ["cron", "app"];

export type RunStatus = "ok" | "error" | "aborted" | "limit" | "unavailable" | "blocked";

/** What a paused or waiting process waits for, and what ends the wait. */
export type WaitsFor =
  | { readonly kind: "approval"; readonly id: string; readonly tool: string; readonly summary: string }
  | { readonly kind: "question"; readonly id: string; readonly tool: string; readonly summary: string }
  | { readonly kind: "person"; readonly reason: string }
  | { readonly kind: "disk"; readonly reason: string }
  /** `model`: a key is there, but the server does not have the model. `address`: no usable model server is at the address. */
  | {
      readonly kind: "credential";
      readonly reason: string;
      readonly missing?: "model" | "address";
      readonly provider?: string;
    }
  /** A budget is used up. Ends with a raise or with the day. */
  | { readonly kind: "limit"; readonly reason: string; readonly until?: number }
  | { readonly kind: "repair"; readonly reason: string }
  /** A call of the process waits for the reply of another one. Shown in lists only. */
  | { readonly kind: "call"; readonly reason: string; readonly target: string; readonly until: number }
  /** A run that failed is restarted at this instant. */
  | { readonly kind: "restart"; readonly reason: string; readonly until: number; readonly attempt: number }
  /** A failed model call is retried: by the active run (`model`), or by a paused run at an instant (`outage`). */
  | ({ readonly kind: "model" | "outage" } & NextTry);

/** The waits that may end if the process is resumed now. */
export const TRIED_AGAIN: readonly (WaitsFor["kind"] | undefined)[] = ["credential", "outage", "restart"];

/** The second of 15 attempts is `{ next: 2, of: 15 }`. */
export interface Attempt {
  readonly next: number;
  readonly of: number;
}

/** The next retry of a model call. */
export interface NextTry {
  readonly reason: string;
  readonly model: string;
  readonly class: FailureClass;
  readonly until: number;
  /** For a retry within the run: its number and the last one. */
  readonly attempt?: Attempt;
  /** For an outage: its start, and the number of checks so far. */
  readonly since?: number;
  readonly looks?: number;
}

/** Why a run is paused or waits for its next try. */
export interface RunFailure {
  readonly runId: string | null;
  readonly timestamp: number;
  readonly waitsFor: WaitsFor;
}

/** When a process restarts after an error. Stops, refusals, limits and outages do not count as errors. */
export const RESTART_RULES = ["on-failure", "never"] as const;
export type RestartRule = (typeof RESTART_RULES)[number];

/** Number of restarts after an error, and the time of the last one. */
export interface Restarts {
  readonly count: number;
  readonly at: number;
}

/** Failed model calls of the current turn. */
export interface Retrying {
  /** The last model tried. */
  readonly model: string;
  /** Since the run was last paused. */
  readonly failed: number;
  /** How often the run was paused. */
  readonly pauses: number;
  /** null during a call. */
  readonly waitsFor: WaitsFor | null;
  /** Why the last call failed. */
  readonly reason?: string;
}

export interface ProcessInfo {
  readonly pid: string;
  readonly label: string | null;
  readonly owner: string;
  readonly uid: number;
  readonly runAs: string;
  readonly profile: Profile;
  readonly parentPid: string | null;
  readonly state: State;
  /** Its state is active, but no kernel runs. */
  readonly interrupted?: true;
  readonly cwd: string;
  readonly workspaceId: string | null;
  readonly queued: number;
  readonly activeRunId: string | null;
  readonly createdAt: number;
  readonly lastActiveAt: number | null;
  readonly waitsFor: WaitsFor | null;
  /** End of the last run; null before the first end. */
  readonly lastStatus: RunStatus | null;
  /** How much it may do without approval. */
  readonly mode: Mode;
  /** Missing if its session hides it. */
  readonly restart?: RestartRule;
  /** Of its own answers, since its start. */
  readonly costUsd: number;
  readonly tokens: number;
}

/** The end of one run. A message merged into another run has its own end, which names that run. */
export interface RunEnd {
  readonly runId: string;
  readonly status: RunStatus;
  readonly reason: string;
  readonly text: string | null;
  readonly error: string | null;
  readonly mergedInto: string | null;
  readonly usage: Usage;
}

const EXIT_OF: { readonly [S in RunStatus]: number } = {
  ok: 0,
  error: 1,
  aborted: 130,
  limit: 6,
  unavailable: 75,
  blocked: 5,
};
/** Reasons with an exit status of their own. */
const EXIT_OF_REASON: { readonly [reason: string]: number } = {
  "model.auth": 4,
  "model.model": 4,
  "model.config": 78,
  "process.kill": 137,
  auto_resume_exhausted: 75,
};

/** The exit status of a client that waits for this end. */
export function exitOf({ status, reason }: Pick<RunEnd, "status" | "reason">): number {
  return EXIT_OF_REASON[reason] ?? EXIT_OF[status];
}

const EXIT_OF_HOLD: { readonly [K in WaitsFor["kind"]]: number } = {
  approval: 5,
  question: 5,
  person: 5,
  disk: 75,
  credential: 4,
  limit: 6,
  repair: 1,
  call: 75,
  model: 75,
  outage: 75,
  restart: 75,
};

/** The exit status of a client that does not wait while the process is paused. */
export function exitOfHold({ kind }: WaitsFor): number {
  return EXIT_OF_HOLD[kind];
}

export interface Usage extends Tokens {
  /** A whole number of millionths. */
  readonly costUsd: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/** What the approval card shows besides the call. */
export interface ApprovalAbout {
  readonly target: string;
  readonly directory: string | null;
  /** Whether a command on the host runs in a sandbox. */
  readonly sandboxed?: boolean;
  /** Real path of the file, links resolved. */
  readonly path?: string;
  /** Reasons for the request, one line each. */
  readonly reasons: readonly string[];
  /** Diff of the file to change. */
  readonly diff: string | null;
  /** A host directory that an approval attaches, too. */
  readonly attaches?: string;
  /** Dangers of the call, most serious first. */
  readonly dangers?: readonly string[];
  /** What an approval grants to this call. */
  readonly grants?: readonly Grant[];
  /** The command ran before and failed: an approval runs it again. */
  readonly again?: RunAgain;
  /** Ways to allow more than exactly this call, narrow to wide. */
  readonly patterns?: readonly string[];
  /** Asks every time: an approval cannot become a rule. */
  readonly once?: true;
  /** Asked together with an earlier call of its turn, before that one ran. */
  readonly early?: true;
}

export interface RunAgain {
  readonly exit: number;
  /** The end of its output. */
  readonly output: string;
  /** What the sandbox withheld, and what the approval gives in addition. */
  readonly withheld: readonly Grant[];
}

export type DecisionWord = "approve" | "deny" | "answer" | "expired" | "withdrawn";

/** Usage of an answer, counted by its process. */
export interface Spent {
  readonly model: string;
  readonly usage: Usage;
  /** Run time of the answer; 0 if missing. */
  readonly ms?: number;
  /** False if the price is unknown. */
  readonly priced?: boolean;
  readonly now: number;
}

/** One answer of a model, for charging. */
export interface UsageRow {
  /** Increases within the process. */
  readonly id: number;
  readonly runId: string;
  /** 0 if nothing was stored. */
  readonly turn: number;
  readonly model: string;
  readonly usage: Usage;
  /** Run time, including tools. */
  readonly ms: number;
  /** Whether the price is known. */
  readonly priced: boolean;
  /** Cut or failed; retried or given up. */
  readonly wasted: boolean;
  readonly at: number;
}

export interface Approval {
  readonly id: string;
  /** The choices and the default of a question are in `args`. Its answer is text. */
  readonly kind: "approval" | "question";
  readonly pid: string;
  readonly runId: string;
  readonly tool: string;
  readonly call: string;
  readonly args: { readonly [key: string]: unknown };
  readonly why: string;
  readonly about: ApprovalAbout | null;
  /** Hash of the shown call. Only that call may run. */
  readonly hash: string;
  /** An unanswered question ends then. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly decision: DecisionWord | null;
  readonly by: string | null;
  readonly decidedAt: number | null;
  /** The answer, or the reason for a refusal. */
  readonly said: string | null;
  /** A person changed the call before it ran. */
  readonly edited: boolean;
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    costUsd: usdOf(microsOf(left.costUsd) + microsOf(right.costUsd)),
  };
}
