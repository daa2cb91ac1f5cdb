// What the checks read: paths, and ports to what they must not open themselves. Databases and the lock are read through SQLite only.

import type { SysError } from "../abi/errno.ts";
import type { HookInfo } from "../abi/hook.ts";
import type { WakeTimer } from "../abi/wake.ts";
import type { Clock } from "../lib/clock.ts";
import type { HomePaths } from "../paths.ts";
import type { Inspector, Stored, StoredArchive } from "../store/inspect.ts";
import type { Repairs } from "../store/repair.ts";

export interface Answer {
  readonly how: "ready" | "silent" | "absent";
  /** If ready. */
  readonly version?: string;
}

export interface Holder {
  readonly pid: number;
  readonly version: string;
  readonly exe: string;
}

export interface RepoState {
  /** `owner/name`. */
  readonly name: string;
  readonly gitDir: string;
  /** Why HEAD is unreadable; null if it is fine. */
  readonly headFault: string | null;
  /** The repository of a home whose HEAD is not on main. */
  readonly isAway: boolean;
  readonly isIndexBroken: boolean;
  /** May include locks of a running git. */
  readonly locks: readonly { readonly name: string; readonly isStale: boolean }[];
}

export interface Patient {
  /** Why the environment names no home; `paths` is then useless. */
  readonly homeFault: SysError | null;
  readonly paths: HomePaths;
  readonly uid: number;
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  readonly about: { readonly version: string; readonly commit: string; readonly bun: string };
  readonly databases: Inspector;
  /** Use it only while the lock is held. */
  readonly repairs: Repairs;
  readonly bytes: {
    where(): Promise<{ readonly driver: "disk" | "s3"; readonly place: string }>;
    /** Throws if the storage is unreachable. */
    probe(): Promise<void>;
    /** Reads the whole content; null if it is fine. */
    fault(object: Stored): Promise<"missing" | "damaged" | null>;
    /** Content without an object, except what is being moved. */
    strays(): AsyncIterable<{ readonly name: string }>;
    /** Reads the whole archive; null if it is fine. */
    archiveFault(archive: StoredArchive): Promise<string | null>;
  };
  readonly repositories: {
    states(): readonly RepoState[];
    /** Removes locks whose git is gone and returns their names. Throws if a git may be running. */
    freeLocks(gitDir: string): readonly string[];
    /** What git fsck finds; null if nothing. */
    follow(gitDir: string): Promise<string | null>;
  };
  readonly lock: {
    isHeld(): boolean;
    /** Why the lock file is unusable; null if it is fine. */
    fault(): string | null;
    /** The kernel that holds the lock, or the last one that did. */
    holder(): Holder | null;
    /** Runs `work` while no kernel can start. Throws if one is running. */
    hold<T>(work: () => Promise<T>): Promise<T>;
  };
  /** Whether a secret still has its value; null if `mark` is not the mark of a secret. */
  readonly holdsSecret: (key: string, mark: string) => Promise<boolean | null>;
  /** Times of the crash files, newest first. */
  readonly cores: () => readonly number[];
  /** The hooks of the person, with the decisions about them. */
  readonly hooks: () => Promise<readonly HookInfo[]>;
  /** Path of the last backup, which may be deleted by now. */
  readonly lastBackup: () => string | null;
  /** Throws if no socket can be created. */
  readonly socketPath: () => string;
  readonly greet: () => Promise<Answer>;
  readonly terminal: { readonly isTTY: boolean; readonly columns: number; readonly rows: number };
  /** The provider and model of the environment, offline by default. Throws if they do not exist. */
  readonly provider: () => { readonly provider: string; readonly model: string; readonly name: string };
  /** The timer that starts a kernel when something is due. */
  readonly wakeTimer: Pick<WakeTimer, "isOn" | "status">;
  readonly find: (program: string) => string | null;
  /** Runs a program and returns its first line. */
  readonly run: (argv: readonly string[]) => Promise<{ readonly status: number; readonly says: string }>;
  readonly disk: (path: string) => {
    readonly freeBytes: number;
    readonly freeFiles: number;
    readonly isRemote: boolean;
  };
}
