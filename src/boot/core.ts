// The types that the parts of a kernel share: what a kernel is built from, and what the files of this folder hand to each other.

import type { LivePorts } from "../../fs/proc/stream.ts";
import type { RetentionSettings } from "../abi/backup.ts";
import type { Config } from "../abi/config/config.ts";
import type { Caller } from "../abi/identity.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { ToolSpec } from "../abi/stream.ts";
import type { ClientInfo, LeaveReason, Sys } from "../abi/sys.ts";
import type { WakeTimer } from "../abi/wake.ts";
import type { Claims } from "../due/claims.ts";
import type { Callers } from "../kernel/accounts/accounts.ts";
import type { Bus } from "../kernel/bus.ts";
import type { pathLocator } from "../kernel/files/file-paths.ts";
import type { FilesOptions } from "../kernel/files/files.ts";
import type { HostFiles } from "../kernel/files/host-files.ts";
import type { KeptResults } from "../kernel/files/kept-results.ts";
import type { SearchThread } from "../kernel/files/search-thread.ts";
import type { Entries } from "../kernel/logins/entries.ts";
import type { Logins } from "../kernel/logins/login.ts";
import type { PasswordCost, Passwords } from "../kernel/logins/passwords.ts";
import type { Models } from "../kernel/models/models.ts";
import type { Keychain } from "../kernel/settings/secrets.ts";
import type { HostLauncher } from "../kernel/shells/host-launcher.ts";
import type { ShellTool } from "../kernel/shells/shell-tool.ts";
import type { StorageParts } from "../kernel/storage/drivers.ts";
import type { HostDirectories } from "../kernel/workspaces/host-directories.ts";
import type { DueQueue } from "../lib/alarm.ts";
import type { Clock } from "../lib/clock.ts";
import type { Environment } from "../lib/host-environment.ts";
import type { CacheBudget } from "../lib/memory/cache-budget.ts";
import type { TemporaryBytes } from "../lib/memory/growing-bytes.ts";
import type { ObjectStore } from "../objects/objects.ts";
import type { HomePaths } from "../paths.ts";
import type { Judge } from "../process/approvals/policy/judge.ts";
import type { Policies } from "../process/approvals/policy/policies.ts";
import type { modeFloor } from "../process/approvals/policy/service.ts";
import type { Questions } from "../process/approvals/questions.ts";
import type { Retries } from "../process/faults/disk-retry.ts";
import type { Outages } from "../process/faults/outage.ts";
import type { PausedRuns } from "../process/faults/paused-runs.ts";
import type { Compactor } from "../process/history/compaction/compactor.ts";
import type { ContextResets } from "../process/history/context-reset.ts";
import type { CallWaiters } from "../process/history/histories.ts";
import type { SearchParts } from "../process/history/search/lazy-search.ts";
import type { Closer } from "../process/life/closing.ts";
import type { Control } from "../process/life/control.ts";
import type { Ledger } from "../process/life/ledger.ts";
import type { Offers } from "../process/life/offers.ts";
import type { Budgets } from "../process/limits/budgets.ts";
import type { SenderCredits } from "../process/limits/sender-credits.ts";
import type { Timeouts } from "../process/limits/timeouts.ts";
import type { KeptMedia } from "../process/media.ts";
import type { KnownTexts } from "../process/prompt/context-files.ts";
import type { Blocks } from "../process/run/code-blocks.ts";
import type { CurrentRun } from "../process/run/current-run.ts";
import type { Runners } from "../process/run/runners.ts";
import type { ToolServers } from "../process/run/tool-servers.ts";
import type { ChangePlaces } from "../process/workspace/change-places.ts";
import type { UndoService } from "../process/workspace/undo.ts";
import type { FigureSource } from "../serve/metrics/figures.ts";
import type { Listen, ServingParts } from "../serve/serving.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallRow, ProcessStore } from "../store/process/verbs.ts";
import type { Files } from "../syscalls/fs/files-service.ts";
import type { Web } from "../syscalls/run/net.ts";
import type { Shells } from "../syscalls/run/shell-service.ts";
import type { HooksService } from "../syscalls/system/hooks.ts";
import type { Hidden } from "../targets/hidden.ts";
import type { Runner } from "../targets/shell.ts";
import type { RepoParts } from "./repos.ts";
import type { SettingParts } from "./settings.ts";

/** What a kernel takes from the computer it runs on. */
export interface Machine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly osUser: string;
  readonly pid: number;
  /** Settings from the environment. The others are stored, or have a default. */
  readonly config: Partial<Config>;
  /** The PATH to find git on. */
  readonly path?: string | undefined;
  /** The keychain of the operating system, if it has one. */
  readonly keychain?: Keychain;
  /** `file` keeps secrets out of the keychain. */
  readonly secretsStore?: string | undefined;
  readonly log: (line: string) => void;
  /** Commands on the host get the allowed part of this environment. */
  readonly hostEnv?: { readonly [name: string]: string | undefined };
  /** The path of a program on the host. */
  readonly findProgram?: (name: string) => string | null;
  /** All addresses of a host name; default is the resolver of the system. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  /** Replaces the retention settings; read before every sweep. */
  readonly retention?: () => Promise<RetentionSettings>;
  /** The file of this program, compiled or not. */
  readonly exe?: string;
  /** The directory mounted at /mnt/host. */
  readonly hostDirectory?: string;
  /** The time zone of this computer, applied to this process if it changed. */
  readonly zone?: () => string;
  /** Starts a kernel when something is due. */
  readonly wakeTimer?: Pick<WakeTimer, "isOn" | "set">;
  /** Cost of a password hash; tests use a cheap one. */
  readonly passwordCost?: PasswordCost;
  /** Wraps the stores. */
  readonly ports?: (ports: Ports) => Ports;
  /** Makes the Workers that run scripts. */
  readonly newShellRunner?: () => Runner;
  /** Wraps the models. */
  readonly models?: (models: Models) => Models;
}

export interface Ports {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
}

/** The caches of a kernel, all under the setting kernel.memory. */
export interface CacheParts {
  readonly budget: CacheBudget;
  /** Files in /tmp, outputs of scripts, and uploads. */
  readonly temporary: TemporaryBytes;
}

/** What everything above the stores is built from. */
export interface Core extends Ports, SettingParts, RepoParts, CacheParts {
  readonly storage: StorageParts;
  readonly machine: Machine;
  readonly bus: Bus;
  readonly queue: DueQueue;
  readonly claims: Claims;
  /** Context files of earlier prompts. */
  readonly texts: KnownTexts;
  readonly callers: Callers;
  readonly passwords: Passwords;
  readonly logins: Logins;
  readonly entries: Entries;
  readonly models: Models;
  readonly offers: Offers;
  readonly search: SearchParts;
  readonly startedAt: number;
  readonly generation: number;
  readonly afterCrash: boolean;
  readonly retries: Retries;
  readonly calls: CallWaiters;
  readonly servers: ToolServers;
  readonly hooks: HookParts;
  readonly onFault: (error: unknown) => void;
  readonly newRequestId: () => string;
  /** Set by the server: the number of clients, how to leave, and how to listen on the network. */
  readonly host: { clients: () => number; drain: (why: LeaveReason) => void; listen: Listen | null };
  readonly figures: FigureSource;
  readonly serving: ServingParts;
  /** A Sys for a caller. Must not be used before the services are built. */
  readonly sysFor: (uid: number, caller: () => Promise<Caller>, client?: ClientInfo) => Sys;
  readonly unloggedSysFor: (caller: Caller, client?: ClientInfo) => Sys;
}

export interface HookParts {
  readonly service: HooksService;
  /** Why a hook refuses the call; null if none does. */
  readonly objection: (place: CurrentRun, call: CallRow) => Promise<string | null>;
  readonly isBusy: () => boolean;
  /** Reads the hooks and the decisions about them. Must come before anything runs. */
  load(start: { readonly afterCrash: boolean }): Promise<void>;
  /** Resolves when all notices are delivered, or after `ms`. */
  settled(ms: number): Promise<void>;
  close(): void;
}

export interface FileParts {
  readonly options: FilesOptions;
  readonly service: Files;
  readonly locate: ReturnType<typeof pathLocator>;
  readonly kept: KeptResults;
  readonly live: LiveFiles;
}

/** What /proc shows before it is stored. Runs and shells fill it in. */
export interface LiveFiles {
  readonly saying: Map<string, () => string>;
  commands: LivePorts["commands"];
}

export interface ShellParts {
  readonly service: Shells;
  readonly hostGround: HostLauncher["ground"];
  readonly needTypable: ShellTool["needTypable"];
  /** The sandbox of the host; null if it has none. */
  readonly sandboxName: () => Promise<string | null>;
  readonly host: HostParts;
  readonly isBusy: () => boolean;
  /** Ends what a finished run left running. */
  readonly runOver: (pid: string) => void;
  /** Adopts the commands that earlier kernels left running. */
  readonly adopt: () => void;
  /** Ends adopted commands that no run waits for. Call it after recovery. */
  readonly settle: () => Promise<void>;
  readonly close: () => void;
}

/** What commands and file tools on the host share. */
export interface HostParts {
  readonly launcher: HostLauncher;
  readonly places: HostDirectories;
  readonly env: Environment;
  readonly findProgram: (name: string) => string | null;
  /** The paths of sockets and keys. */
  readonly hidden: () => Hidden;
  readonly searches: SearchThread;
}

/** Where tools run. */
export interface TargetParts {
  readonly shells: ShellParts;
  readonly hostFiles: HostFiles;
  readonly web: Web;
  readonly blocks: Blocks;
}

export interface PolicyParts {
  readonly policies: Policies;
  readonly judge: Judge;
  readonly questions: Questions;
  readonly mayBe: ReturnType<typeof modeFloor>;
}

export interface ProcessParts {
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly closer: Closer;
  readonly undoing: UndoService;
  readonly places: ChangePlaces;
  /** The tools offered to the model. */
  readonly tools: (row: ProcessRow) => Promise<readonly ToolSpec[]>;
  readonly toolNames: () => readonly string[];
  readonly control: Control;
  readonly credits: SenderCredits;
  readonly pausedRuns: PausedRuns;
  readonly outages: Outages;
  readonly timeouts: Timeouts;
  readonly contextResets: ContextResets;
  readonly policy: PolicyParts;
  readonly budgets: Budgets;
  readonly compactor: Compactor;
  readonly media: KeptMedia;
}
