// The services that handlers use, as types; each handler names the two or three it needs. The kernel builds all of them, the read-only view
// those that only read. Every method checks ownership: another account's process looks absent.

import type { ConfigLayer } from "../abi/config/config-value.ts";
import type { Caller } from "../abi/identity.ts";
import type { Mode } from "../abi/policy.ts";
import type { Message } from "../abi/process/message.ts";
import type {
  ProcessInfo,
  Profile,
  RestartRule,
  RunFailure,
  RunStatus,
  State,
  Usage,
  WaitsFor,
} from "../abi/process/process.ts";
import type { Segment } from "../abi/process/segment.ts";
import type { Thinking } from "../abi/process/session.ts";
import type { Checkpoint } from "../abi/process/workspace.ts";
import type { LeaveReason } from "../abi/sys.ts";
import type { ShownApproval } from "./approval/hil.ts";
import type { CallContext } from "./define.ts";

export interface ProcessPage {
  readonly processes: readonly ProcessInfo[];
  /** Opaque cursor of the next page; null at the end. */
  readonly next: string | null;
}

export interface Registry {
  /** Oldest first, one page. */
  list(
    caller: Caller,
    query: { readonly uid?: number; readonly limit: number; readonly after?: string },
  ): Promise<ProcessPage>;
  get(caller: Caller, pid: string): Promise<ProcessInfo>;
}

export interface HistoryPage {
  readonly pid: string;
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Numbers of messages whose long texts are cut; proc.message has them in full. */
  readonly inPart: readonly number[];
  readonly messageCount: number;
  readonly hasMoreBefore: boolean;
  readonly hasMoreAfter: boolean;
  readonly activeRunId: string | null;
  readonly pendingHil: ShownApproval | null;
  /** On the newest page, why the run is paused or waits for its next try. */
  readonly failure?: RunFailure;
}

export interface HistoryQuery {
  readonly limit: number;
  /** Number of newest messages to skip. */
  readonly offset?: number;
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** As people write it: today, 2h, a date. */
  readonly since?: string;
}

export interface MessageText {
  readonly pid: string;
  readonly seq: number;
  readonly text: string;
  /** Offset of the next piece; null at the end. */
  readonly next: number | null;
}

export interface TraceRow {
  readonly id: number;
  readonly at: number;
  readonly call: string;
  readonly args: string;
  readonly outcome: string;
  readonly ms: number;
}

export interface Histories {
  page(context: Pick<CallContext, "caller" | "client">, pid: string, query: HistoryQuery): Promise<HistoryPage>;
  /** Without a number: the newest answer. */
  text(caller: Caller, pid: string, query: { readonly seq?: number; readonly offset: number }): Promise<MessageText>;
  /** Waits up to `waitMs` for a row. */
  trace(
    context: Pick<CallContext, "caller" | "signal">,
    pid: string,
    query: { readonly after?: number; readonly limit: number; readonly waitMs: number },
  ): Promise<TraceRow[]>;
  /** Oldest first. */
  segments(caller: Caller, pid: string): Promise<readonly Segment[]>;
}

export interface SpawnRequest {
  readonly label?: string;
  readonly prompt?: string;
  readonly parent?: string;
  readonly profile: Profile;
  readonly as?: string;
  readonly cwd?: string;
  /** new, inherit, none, an id, or a directory of this computer. */
  readonly workspace?: string;
  /** Default: the parent's project. */
  readonly project?: string;
  /** Capabilities to drop, comma-separated. */
  readonly drop?: string;
  readonly model?: string;
  readonly mode?: Mode;
  readonly restart?: RestartRule;
  /** Files to add to its context, comma-separated. */
  readonly context?: string;
  /** Text to add to its context, before those files. */
  readonly system?: string;
  /** As text, such as `$2,30m`. */
  readonly budget?: string;
}

export interface Spawned {
  readonly pid: string;
  readonly label: string | null;
  readonly profile: Profile;
  readonly cwd: string;
  readonly workspaceId: string | null;
  readonly runId: string | null;
}

export interface SendRequest {
  readonly pid?: string;
  readonly message: string;
  /** Aborts the current run and starts at once. */
  readonly interrupt?: boolean;
  /** Model for this message only. */
  readonly model?: string;
  /** Ids of media to attach. */
  readonly media?: readonly string[];
  /** Reasoning effort for this message. */
  readonly thinking?: Thinking;
}

export interface Sent {
  readonly pid: string;
  readonly parent?: string | null;
  readonly runId: string;
  readonly status: "started";
  readonly queued: boolean;
  /** The message starts a new history; the old one was archived. */
  readonly renewed?: true;
  /** Answer to directives in the message. */
  readonly response?: string;
}

/** A person's message that was only a command or directives: answered without a run. */
export interface Answered {
  readonly pid: string;
  readonly runId: null;
  readonly status: "command" | "directive-only";
  readonly queued: false;
  readonly response: string;
}

export interface Aborted {
  readonly pid: string;
  readonly aborted: boolean;
  readonly runId: string | null;
  readonly interruptedToolCalls: number;
  readonly continuedQueuedRunId: string | null;
}

export interface Closed {
  readonly pid: string;
  readonly archivedMessages: number;
  readonly archiveId: string | null;
  /** A path: `/var/sessions/…`. */
  readonly archivedTo: string | null;
  /** Queued messages that never entered history; the archive marks them. */
  readonly undelivered: number;
  /** Directory of the damaged database: nothing of it is archived. */
  readonly damagedIn?: string;
  /** The process ended itself: it ends after this turn. */
  readonly pending?: true;
  /** Present if the process worked in a workspace of gsv's own. */
  readonly checkpoint?: Checkpoint;
}

export const PROCESS_SIGNALS = ["STOP", "CONT", "INT", "TERM", "KILL", "0"] as const;
export type ProcessSignal = (typeof PROCESS_SIGNALS)[number];

export interface Signalled {
  readonly pid: string;
  readonly signal: ProcessSignal;
  readonly state: State | null;
  readonly closed?: Closed;
}

export interface WaitResult {
  readonly pid: string;
  readonly runId: string | null;
  /** `held`: only a person, a key, a limit or free disk space lets the process continue. */
  readonly status: RunStatus | "killed" | "none" | "held";
  readonly exit: number;
  readonly text: string | null;
  /** The text is cut; proc.message has it in full. */
  readonly inPart: boolean;
  readonly error: string | null;
  readonly waitsFor: WaitsFor | null;
  /** Usage of the run that ended. */
  readonly usage: Usage | null;
}

export interface Processes {
  spawn(context: CallContext, request: SpawnRequest): Promise<Spawned>;
  send(context: CallContext, request: SendRequest): Promise<Sent | Answered>;
  abort(context: CallContext, request: { readonly pid: string; readonly runId?: string }): Promise<Aborted>;
  label(
    context: CallContext,
    request: { readonly pid: string; readonly label: string },
  ): Promise<{ readonly pid: string; readonly label: string }>;
  /** With an archive id, the new history starts with its messages. */
  reset(context: CallContext, request: { readonly pid: string; readonly restore?: string }): Promise<Closed>;
  kill(context: CallContext, request: { readonly pid: string; readonly archive: boolean }): Promise<Closed>;
  signal(context: CallContext, request: { readonly pid: string; readonly signal: ProcessSignal }): Promise<Signalled>;
  /** Returns when all processes have ended; with a run, when that run has. `wait` also waits while a process is held. */
  wait(
    context: CallContext,
    request: { readonly pids: readonly string[]; readonly run?: string; readonly wait: boolean },
  ): Promise<WaitResult[]>;
}

export interface ArchiveInfo {
  readonly id: string;
  readonly pid: string;
  readonly owner: string;
  readonly path: string;
  readonly reason: "reset" | "kill";
  readonly messages: number;
  readonly lines: number;
  readonly undelivered: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly createdAt: number;
}

export interface ArchivePage {
  readonly records: readonly object[];
  readonly path: string;
  /** Numbers of records, from 1, whose long texts are cut. */
  readonly inPart: readonly number[];
  readonly next: number | null;
}

export interface Archives {
  list(
    caller: Caller,
    query: { readonly pid?: string; readonly after?: string },
  ): Promise<{ readonly archives: readonly ArchiveInfo[]; readonly next: string | null }>;
  show(caller: Caller, id: string, query: { readonly after: number; readonly limit: number }): Promise<ArchivePage>;
  verify(
    caller: Caller,
    id: string,
  ): Promise<{ readonly archive: ArchiveInfo; readonly ok: boolean; readonly fault: string | null }>;
}

export interface KernelStatus {
  readonly running: boolean;
  readonly pid: number | null;
  readonly version: string;
  readonly commit: string;
  readonly bun: string;
  readonly home: string;
  readonly startedAt: number | null;
  readonly generation: number;
  readonly clients: number;
  readonly processes: number;
  readonly working: number;
}

export interface Niceness {
  /** Only shows the value if none is given. */
  nice(
    context: CallContext,
    pid: string,
    nice: string | undefined,
  ): Promise<{ readonly pid: string; readonly nice: number }>;
}

export interface KernelControl {
  status(): Promise<KernelStatus>;
  /** Returns when the drain has started; the connection then sends bye and closes. */
  drain(why: LeaveReason): Promise<{ readonly pid: number }>;
}

export interface SettingInfo {
  readonly key: string;
  /** As JSON; for a secret, whether it is set. */
  readonly value: unknown;
  /** The same as text. */
  readonly shown: string;
  readonly layer: ConfigLayer;
  /** All layers that set it, weakest first. */
  readonly layers: readonly { readonly layer: ConfigLayer; readonly shown: string }[];
  readonly type: string;
  /** Description of valid values. */
  readonly takes: string;
  readonly doc: string;
  readonly env: string | null;
  readonly writes: "user" | "root";
  /** Whether an agent may propose a change for its owner to approve. */
  readonly agents: "ask" | "never";
}

export interface ChangedSetting {
  readonly key: string;
  /** The new value; null if it was unset. */
  readonly value: string | null;
  readonly layer: "system" | "user";
  /** The account, if not the caller's own. */
  readonly whose: string | null;
}

export interface ChangeSettings {
  /** By key, in any spelling; null or white space unsets. */
  readonly changes: { readonly [key: string]: string | null };
  readonly system: boolean;
}

export interface Settings {
  get(context: CallContext, key: string): Promise<SettingInfo>;
  list(context: CallContext, under: string): Promise<{ readonly settings: readonly SettingInfo[] }>;
  /** All changes or none. */
  change(context: CallContext, request: ChangeSettings): Promise<{ readonly changed: readonly ChangedSetting[] }>;
}
