// Every row of what a process manager promises, under the name it has elsewhere, and the tests that hold it to that.

import {
  APPROVAL_MS,
  CHANNEL_APPROVAL_MS,
  ORPHAN_SWEEP_MS,
  RESTART_BASE_MS,
  RESTARTS_MAX,
  STABLE_MS,
  TIMEOUT_CAP,
  TURNS_BEFORE_RESET,
} from "../../../src/abi/process/lifecycle.ts";
import { laterMs } from "../../../src/lib/backoff.ts";
import { LOOKS_MAX } from "../../../src/process/run/retry-plan.ts";

export interface Row {
  readonly tests: readonly string[];
}

const row = (...tests: string[]): Row => ({ tests });

const STARTS = "a session that is started runs, is told of once, and is idle once its answer is there";
const REPLACES = "a start takes the place of what runs: who listens hears the end and the new begin, and one runs";
const STOPS = "a session that is stopped is stopped, whatever its model still says: one end, no message more";
const TURNS =
  "after eight messages to a session that runs, the next resume ends that run and goes on with the history in short";
const RESUMES =
  "a session with 25 messages that is resumed goes on with the last 20 in short, and the new one once after them";
const PERSONA = "a persona and bundles are told to its model at every turn, also after a change and a resume";
const TOOLS = "tool servers are opened with the services that were set, and closed on every way out";
const CALLED =
  "a model is offered the tools of its session's server, and a call of one asks a person, runs there and is told";
const CRASHES =
  "a session of another channel that crashes is restarted after 5, 15 and 45 seconds, and then left in error";
const OUTAGE =
  "an outage pauses the session and tells of it; it is no restart, and five minutes later it goes on by itself";
const PAUSED = "a paused session is resumed at once when somebody says so; one that is not paused is not";
const GIVEN_UP = "after ten looks in vain a paused session is given up: in error, told once, and never tried again";
const EXTENDS =
  "time is extended from now on, never back, to four times the usual at most, and only of a session that runs";
const TIMES_OUT = "half an hour without a sign of life stops a session, a minute after it was warned";
const LAST = "the last event reaches who listened, and then nobody is left: after an answer, a stop, an error";
const SWEEP =
  "every five minutes the listeners of sessions that do not run go; of one that runs or is paused they stay";
const CLEANUP =
  "cleaning up takes all that is remembered of one session, and nothing of another; twice it does nothing";
const CREDITS = "owners, terminals and browsers pay nothing; an owner's address counts as written";
const EXHAUSTED = "in the middle of a run without credits it is stopped and goes on, from where it was, after a top-up";
const SPAWN = "what cannot be started leaves an error, a session in error, and nothing behind; a later start works";
const UNKNOWN_PROJECT = "a session of a project that is not there is not started: one error, and its status stays";
const NOT_RUNNING = "a message to a session that does not run is not taken, and not kept";
const LISTENERS = "listeners of a session are told before those of all, in the order in which they came, each once";
const LATE = "who comes while a session runs is told at once that it does; who comes while it does not is told nothing";
const LEAVES = "who unsubscribes hears nothing more, also in the middle of being told; others go on hearing";
const BOOT = "a manager that starts has nothing running, and takes up what the kernel goes on with";
const THOUSAND = "after a thousand sessions were started and ended nothing is left of them";

export const METHODS: { readonly [name: string]: Row } = {
  setBroadcast: row(
    "a question is told to the owner's clients, and answered by the number of a choice, its name, or a text of its own",
  ),
  setOwnerCheck: row(
    CREDITS,
    "the owner answers from any channel, and the sender of the session does; nobody else, and nobody without a name",
  ),
  setMcpServices: row(TOOLS, CALLED, "every end closes a session's server, and an outage keeps it open"),
  startProcess: row(
    STARTS,
    REPLACES,
    "sessions start each other three deep; a session nobody attends asks nobody, also when it is resumed",
  ),
  resumeProcess: row(
    RESUMES,
    "resumed without a word it goes on from where it stopped; with nothing said yet, from its first prompt",
  ),
  stopProcess: row(
    STOPS,
    "stopped by a manager it goes on with its next message; one that rests already is left as it is",
  ),
  cleanupSessionState: row(CLEANUP),
  getMemoryStats: row(THOUSAND, TIMES_OUT),
  sendMessage: row("a message to a session that runs is taken, kept once, and answered in its turn", NOT_RUNNING),
  isRunning: row(STARTS),
  subscribe: row(LISTENERS, LATE),
  unsubscribe: row(LEAVES),
  subscribeAll: row(LISTENERS),
  unsubscribeAll: row(LEAVES),
  getActiveSessionIds: row(STARTS),
  shutdown: row(
    "a shutdown stops every session and leaves no timer; a second one does nothing, and nothing starts after it",
  ),
  resumeSession: row(PAUSED),
  isPaused: row(OUTAGE),
  getPausedSessionIds: row(OUTAGE),
  extendTimeout: row(EXTENDS),
};

export const PROPERTIES: { readonly [name: string]: Row } = {
  approvalManager: row("a request of a session in %s is refused after its time"),
  ownerQuestionManager: row(
    "a question that nobody answers is over after two minutes, and the agent goes on as it thinks best",
  ),
};

/** What `new ProcessManager(db)` sets off. */
export const CONSTRUCTION: { readonly [effect: string]: Row } = {
  "approval and owner question managers": row("a stop ends what a session asks, and nothing of another session"),
  "stale sessions": row(BOOT),
  "timeout checker": row(TIMES_OUT),
  "auto-resume checker": row("a manager that starts finds what was paused, with its count and its next try"),
  "orphan pruner": row(SWEEP),
};

export const INVARIANTS: readonly (readonly [name: string, row: Row])[] = [
  [
    "Session-process 1:1 mapping",
    row(
      REPLACES,
      "started again and again within one moment, it is the last start that runs",
      "two resumes at once are one run that is told both, in order",
    ),
  ],
  ["Stale session cleanup on startup", row(BOOT)],
  ["Persona/skill prompt injection", row(PERSONA)],
  [
    "Tool permission resolution chain",
    row(
      PERSONA,
      "an explicit list is widened by the agent's own bundles and not by the project's",
      "an agent's own list and what a process does without hold for them; a session nobody attends is refused",
    ),
  ],
  ["Provider routing", row("an Ollama that answers is asked when nobody is named, with the model it lists first")],
  [
    "Context reset",
    row(
      TURNS,
      "the ninth message of a channel is told with the last of the conversation in short, and those after it as they are",
    ),
  ],
  [
    "Resume prompt construction",
    row(
      RESUMES,
      "of 25 messages exactly the last 20 are told, in order",
      "2000 characters of a message are told whole, of more the first 2000 and dots, never half of a character",
    ),
  ],
  [
    "Auto-restart for AlgoChat",
    row(
      CRASHES,
      "ten minutes up begin the count of restarts anew",
      "a session at a terminal or in a browser that crashes is not restarted: it is in error",
    ),
  ],
  [
    "API outage handling",
    row(
      OUTAGE,
      GIVEN_UP,
      "an outage is looked at 5, 20, 65, 125, 185, 245, 305, 365, 425 and 485 minutes after it; then the run is over, once",
    ),
  ],
  ["Timeout enforcement", row(TIMES_OUT, EXTENDS)],
  ["Credit deduction for AlgoChat", row(CREDITS, EXHAUSTED)],
  ["Event emission before cleanup", row(LAST)],
  ["Orphan pruning", row(SWEEP, "a sweep in the middle of every wait forgets neither the count nor who listens")],
  ["Memory cleanup single source", row(CLEANUP, THOUSAND)],
];

export const EXAMPLES: { readonly [name: string]: Row } = {
  "Start a new session with persona and skills": row(STARTS, PERSONA, TOOLS, CALLED),
  "Resume a session with message history": row(RESUMES),
  "Context reset after many turns": row(TURNS),
  "AlgoChat session crashes and auto-restarts": row(CRASHES, "ten minutes up begin the count of restarts anew"),
  "API outage pauses and auto-resumes": row(OUTAGE),
  "Credit exhaustion mid-session": row(EXHAUSTED),
};

export const ERRORS: { readonly [condition: string]: Row } = {
  "Project not found for session": row(UNKNOWN_PROJECT),
  "SDK/direct process spawn fails": row(
    SPAWN,
    "without a kernel every start is a spawn error, and nothing else happens",
  ),
  "Resume of nonexistent process": row(
    "resumed without a word it goes on from where it stopped; with nothing said yet, from its first prompt",
  ),
  "sendMessage to non-running session": row(NOT_RUNNING),
  "resumeSession for non-paused session": row(PAUSED),
  "Max restarts exceeded (3)": row(CRASHES),
  "Auto-resume max attempts exceeded (10)": row(GIVEN_UP),
};

const MINUTE = 60_000;

/** Under the names they have elsewhere, with their defaults, and what they are here. */
export const CONSTANTS: { readonly [name: string]: readonly [meant: number, here: number] } = {
  MAX_RESTARTS: [3, RESTARTS_MAX],
  BACKOFF_BASE_MS: [5000, RESTART_BASE_MS],
  STABLE_PERIOD_MS: [10 * MINUTE, STABLE_MS],
  ORPHAN_PRUNE_INTERVAL_MS: [5 * MINUTE, ORPHAN_SWEEP_MS],
  AUTO_RESUME_BASE_MS: [5 * MINUTE, laterMs(0)],
  AUTO_RESUME_MULTIPLIER: [3, laterMs(1) / laterMs(0)],
  AUTO_RESUME_CAP_MS: [60 * MINUTE, laterMs(9)],
  AUTO_RESUME_MAX_ATTEMPTS: [10, LOOKS_MAX],
  MAX_TURNS_BEFORE_CONTEXT_RESET: [8, TURNS_BEFORE_RESET],
  "times a timeout can be extended to": [4, TIMEOUT_CAP],
  "approval wait in a browser": [55_000, APPROVAL_MS],
  "approval wait in another channel": [120_000, CHANNEL_APPROVAL_MS],
};

export const CONFIGURATION: { readonly [variable: string]: Row } = {
  AGENT_TIMEOUT_MS: row("run.timeoutMs and AGENT_TIMEOUT_MS say how long, 0 for as long as it likes"),
  COUNCIL_MODEL: row("the chair's model may be a setting"),
};
