// The services handlers work with, as types: each handler names the two or three it takes. The kernel builds them all; the read-only
// view builds those that only read. Every method checks ownership itself: another account's process reads exactly like an absent one.

import type { ConfigLayer } from "../abi/config/config-value.ts";
import type { Caller } from "../abi/identity.ts";
import type { Mode } from "../abi/policy.ts";
import type { Message } from "../abi/process/message.ts";
import type { ProcessInfo, Profile, RestartRule, RunStatus, State, Usage, WaitsFor } from "../abi/process/process.ts";
import type { Segment } from "../abi/process/segment.ts";
import type { Thinking } from "../abi/process/session.ts";
import type { Checkpoint } from "../abi/process/workspace.ts";
import type { LeaveReason } from "../abi/sys.ts";
import type { ShownApproval } from "./approval/approval-service.ts";
import type { CallContext } from "./define.ts";

export interface ProcessPage {
  readonly processes: readonly ProcessInfo[];
  /** Opaque: where the next page begins; null at the end. */
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
  /** Numbers of those that are too long for a page and have long texts cut: proc.message has them whole. */
  readonly inPart: readonly number[];
  readonly messageCount: number;
  readonly hasMoreBefore: boolean;
  readonly hasMoreAfter: boolean;
  readonly activeRunId: string | null;
  readonly pendingHil: ShownApproval | null;
}

export interface HistoryQuery {
  readonly limit: number;
  /** Skips the N newest. */
  readonly offset?: number;
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** As people write a beginning. */
  readonly since?: string;
}

/** A piece of the text of one message. */
export interface MessageText {
  readonly pid: string;
  readonly seq: number;
  readonly text: string;
  /** Where it goes on; null at its end. */
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
  /** Of the newest answer when no number is given. */
  text(caller: Caller, pid: string, query: { readonly seq?: number; readonly offset: number }): Promise<MessageText>;
  /** Where there is none, it waits so long for one. */
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
  /** new, inherit, none, an id, or a directory of this machine. */
  readonly workspace?: string;
  /** What it works on; that of its parent when left out. */
  readonly project?: string;
  /** Capabilities it does without, separated by commas. */
  readonly drop?: string;
  /** Who answers it, also later. */
  readonly model?: string;
  readonly mode?: Mode;
  readonly restart?: RestartRule;
  /** Files that it is told at every turn, with commas between. */
  readonly context?: string;
  /** A text of its own that it is told at every turn, before those files. */
  readonly system?: string;
  /** What it may use, as it is written. */
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
  /** Ends the run in flight and starts at once. */
  readonly interrupt?: boolean;
  /** Who answers this message. */
  readonly model?: string;
  /** Ids of media of the process that are given with it. */
  readonly media?: readonly string[];
  /** How much its model thinks about it. */
  readonly thinking?: Thinking;
}

export interface Sent {
  readonly pid: string;
  readonly parent?: string | null;
  readonly runId: string;
  readonly status: "started";
  readonly queued: boolean;
  /** It is the first of a new history: the one before is put away. */
  readonly renewed?: true;
  /** What its directives asked to know. */
  readonly response?: string;
}

/** A message of a person that was a command, or nothing but directives: it is answered, and no run begins. */
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
  /** As a person reads it: `/var/sessions/…`. */
  readonly archivedTo: string | null;
  /** Messages that were waiting and never entered history; they are in the archive, marked. */
  readonly undelivered: number;
  /** The process asked for its own end: it comes after the turn. */
  readonly pending?: true;
  /** Of a process that worked in a workspace whose versions gsv keeps. */
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
  /** `detached` when only a person, a credential, a limit or free disk space ends what holds it. */
  readonly status: RunStatus | "killed" | "none" | "held";
  readonly exit: number;
  readonly text: string | null;
  /** The text is longer than an answer may be and is cut: proc.message has it whole. */
  readonly inPart: boolean;
  readonly error: string | null;
  readonly waitsFor: WaitsFor | null;
  /** Of the run that ended. */
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
  /** With an archive, the next history begins with its messages. */
  reset(context: CallContext, request: { readonly pid: string; readonly restore?: string }): Promise<Closed>;
  kill(context: CallContext, request: { readonly pid: string; readonly archive: boolean }): Promise<Closed>;
  signal(context: CallContext, request: { readonly pid: string; readonly signal: ProcessSignal }): Promise<Signalled>;
  /** Answers when every process named has ended; with a run, when that run has. `patient` also waits for what only a person ends. */
  wait(
    context: CallContext,
    request: { readonly pids: readonly string[]; readonly run?: string; readonly patient: boolean },
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
  /** The archive itself. */
  readonly path: string;
  /** Which records, counted from 1, are too long for an answer and have long texts cut. */
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
  /** As it is written; only looks when left out. */
  nice(
    context: CallContext,
    pid: string,
    nice: string | undefined,
  ): Promise<{ readonly pid: string; readonly nice: number }>;
}

export interface KernelControl {
  status(): Promise<KernelStatus>;
  /** Returns once the drain has begun; the connection then says bye and closes. */
  drain(why: LeaveReason): Promise<{ readonly pid: number }>;
}

export interface SettingInfo {
  readonly key: string;
  /** As JSON carries it; of a secret, whether it is set. */
  readonly value: unknown;
  /** The same as text. */
  readonly shown: string;
  readonly layer: ConfigLayer;
  /** Every layer that says something, the weakest first. */
  readonly layers: readonly { readonly layer: ConfigLayer; readonly shown: string }[];
  readonly type: string;
  /** What would be right. */
  readonly takes: string;
  readonly doc: string;
  readonly env: string | null;
  readonly writes: "user" | "root";
  /** Whether an agent may propose a change of its owner's, which a person then approves. */
  readonly agents: "ask" | "never";
}

export interface ChangedSetting {
  readonly key: string;
  /** As it reads back; null when it was unset. */
  readonly value: string | null;
  readonly layer: "system" | "user";
  /** The account, where it is not the caller's own. */
  readonly whose: string | null;
}

export interface ChangeSettings {
  /** By key, in any spelling; null or nothing but white space unsets. */
  readonly changes: { readonly [key: string]: string | null };
  readonly system: boolean;
}

export interface Settings {
  get(context: CallContext, key: string): Promise<SettingInfo>;
  list(context: CallContext, under: string): Promise<{ readonly settings: readonly SettingInfo[] }>;
  /** All of them or none. */
  change(context: CallContext, request: ChangeSettings): Promise<{ readonly changed: readonly ChangedSetting[] }>;
}
