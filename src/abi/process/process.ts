// A process as its owner sees it. The projection in kernel.db and the process's own database both speak these words.

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

/** States in which a kernel has something to do for a process; without a kernel they show as interrupted. */
export const WORKING_STATES: readonly State[] = ["queued", "running", "waiting_tool"];

export const PROFILES = ["init", "task", "review", "cron", "mcp", "app"] as const;
export type Profile = (typeof PROFILES)[number];

/** Profiles with nobody to ask: an approval becomes an error result. */
export const PROFILES_ALONE: readonly Profile[] = ["cron", "app"];

export type RunStatus = "ok" | "error" | "aborted" | "limit" | "unavailable" | "blocked";

/** What a held or waiting process waits for, and what ends that. */
export type WaitsFor =
  | { readonly kind: "approval"; readonly id: string; readonly tool: string; readonly summary: string }
  | { readonly kind: "question"; readonly id: string; readonly tool: string; readonly summary: string }
  | { readonly kind: "person"; readonly reason: string }
  | { readonly kind: "disk"; readonly reason: string }
  | { readonly kind: "credential"; readonly reason: string }
  /** A budget is used up: a person raises it, or the day ends. */
  | { readonly kind: "limit"; readonly reason: string; readonly until?: number }
  | { readonly kind: "repair"; readonly reason: string }
  /** A run that ended by a fault is taken up again then. */
  | { readonly kind: "restart"; readonly reason: string; readonly until: number; readonly attempt: number }
  /** It goes on by itself: a model that failed is asked again, by a run that stays at it (`model`) or is put aside until then (`outage`). */
  | ({ readonly kind: "model" | "outage" } & NextTry);

/** What a try may end: trouble with a model, or a fault that may not come again. */
export const TRIED_AGAIN: readonly (WaitsFor["kind"] | undefined)[] = ["credential", "outage", "restart"];

/** A model is asked once more, and when. */
export interface NextTry {
  readonly reason: string;
  readonly model: string;
  readonly class: FailureClass;
  readonly until: number;
  /** Of an outage: since when the provider does not answer, and how often it was looked at by now. */
  readonly since?: number;
  readonly looks?: number;
}

/** When a process that ended a run by a fault takes it up again; a stop, a refusal, a limit or an outage is no fault. */
export const RESTART_RULES = ["on-failure", "never"] as const;
export type RestartRule = (typeof RESTART_RULES)[number];

/** How often runs of a process were taken up again after a fault, and when the last time was. */
export interface Restarts {
  readonly count: number;
  readonly at: number;
}

/** How often the turn in flight was asked for in vain. */
export interface Retrying {
  /** The one that was asked last. */
  readonly model: string;
  /** Since the run was put aside the last time. */
  readonly failed: number;
  /** How often it was put aside. */
  readonly pauses: number;
  /** Null while it is being asked. */
  readonly waitsFor: WaitsFor | null;
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
  /** Nobody runs it now although its state says so; set only when no kernel is up. */
  readonly interrupted?: true;
  readonly cwd: string;
  readonly workspaceId: string | null;
  readonly queued: number;
  readonly activeRunId: string | null;
  readonly createdAt: number;
  readonly lastActiveAt: number | null;
  readonly waitsFor: WaitsFor | null;
  /** How the last run ended; null before the first has. */
  readonly lastStatus: RunStatus | null;
  /** How much it may do without asking. */
  readonly mode: Mode;
  /** Left out where its session says so. */
  readonly restart?: RestartRule;
  /** Of its own answers, since it was started. */
  readonly costUsd: number;
  readonly tokens: number;
}

/** One finish of one run; a message that entered another run has a finish of its own that says which. */
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
/** Ends whose cause says more than their status. */
const EXIT_OF_REASON: { readonly [reason: string]: number } = {
  "model.auth": 4,
  "model.config": 78,
  "process.kill": 137,
  auto_resume_exhausted: 75,
};

/** The exit status of whoever waited for this end. */
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
  model: 75,
  outage: 75,
  restart: 75,
};

/** The same for one who does not stay until what holds the process is gone. */
export function exitOfHold({ kind }: WaitsFor): number {
  return EXIT_OF_HOLD[kind];
}

export interface Usage extends Tokens {
  /** A whole number of millionths. */
  readonly costUsd: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/** What a person sees of a call besides the call itself. */
export interface ApprovalAbout {
  readonly target: string;
  /** Where a command runs. */
  readonly directory: string | null;
  /** Why it asks, a line each. */
  readonly reasons: readonly string[];
  /** Of a file that changes: the lines that go and come. */
  readonly diff: string | null;
  /** A directory of the host that a yes attaches besides. */
  readonly attaches?: string;
  /** What makes the call dangerous, the most serious first. */
  readonly dangers?: readonly string[];
  /** What a yes gives to this one call, besides running it. */
  readonly grants?: readonly "network"[];
  /** It asks every time: no standing rule can come of a yes. */
  readonly once?: true;
}

export type DecisionWord = "approve" | "deny" | "answer" | "expired" | "withdrawn";

/** What an answer used, as its process counted it. */
export interface Spent {
  readonly model: string;
  readonly usage: Usage;
  /** How long the run was at work for it; nothing when left out. */
  readonly ms?: number;
  /** False where nobody knows its price. */
  readonly priced?: boolean;
  readonly now: number;
}

/** One answer of a model, as it is charged. */
export interface UsageRow {
  /** Counts up within the process. */
  readonly id: number;
  readonly runId: string;
  /** 0 where nothing of it was kept. */
  readonly turn: number;
  readonly model: string;
  readonly usage: Usage;
  /** How long the run was at work for it, its tools included. */
  readonly ms: number;
  /** Whether its price is known, so that its cost is more than a guess of nothing. */
  readonly priced: boolean;
  /** It was cut or failed, and was asked for again or given up. */
  readonly wasted: boolean;
  readonly at: number;
}

export interface Approval {
  readonly id: string;
  /** A question has its choices and its default among its arguments, and is answered with a text. */
  readonly kind: "approval" | "question";
  readonly pid: string;
  readonly runId: string;
  readonly tool: string;
  readonly call: string;
  readonly args: { readonly [key: string]: unknown };
  readonly why: string;
  readonly about: ApprovalAbout | null;
  /** Of what is shown: only that runs. */
  readonly hash: string;
  /** A question that nobody answers until then is over. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly decision: DecisionWord | null;
  readonly by: string | null;
  readonly decidedAt: number | null;
  /** What was answered, or why not. */
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
