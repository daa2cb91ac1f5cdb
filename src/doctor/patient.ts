// What the checks are handed of the machine: where things lie, and ports to what they may not reach themselves. Databases and the lock
// come through SQLite alone; everything else a check looks at with its own eyes.

import type { SysError } from "../abi/errno.ts";
import type { HookInfo } from "../abi/hook.ts";
import type { Clock } from "../lib/clock.ts";
import type { HomePaths } from "../paths.ts";
import type { Inspector, Stored, StoredArchive } from "../store/inspect.ts";
import type { Repairs } from "../store/repair.ts";

export interface Answer {
  readonly how: "ready" | "silent" | "absent";
  /** Of the kernel that is ready. */
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
  /** What keeps HEAD from being read, or null. */
  readonly headFault: string | null;
  /** It is a home's, and HEAD is not where its versions go on. */
  readonly isAway: boolean;
  readonly isIndexBroken: boolean;
  /** Some may be of a git that works there just now. */
  readonly locks: readonly { readonly name: string; readonly isStale: boolean }[];
}

export interface Patient {
  /** Why the environment names no home; then `paths` leads nowhere. */
  readonly homeFault: SysError | null;
  readonly paths: HomePaths;
  readonly uid: number;
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  readonly about: { readonly version: string; readonly commit: string; readonly bun: string };
  readonly databases: Inspector;
  /** Only while the lock is held. */
  readonly mend: Repairs;
  readonly bytes: {
    /** Where they lie. */
    where(): Promise<{ readonly driver: "disk" | "s3"; readonly place: string }>;
    /** Throws what keeps them from being reached. */
    probe(): Promise<void>;
    /** What is wrong with an object's, read to their end; or null. */
    fault(object: Stored): Promise<"missing" | "damaged" | null>;
    /** Bytes that belong to no object and to no change under way. */
    strays(): AsyncIterable<{ readonly name: string }>;
    /** What is wrong with an archive, read to its end; or null. */
    archiveFault(archive: StoredArchive): Promise<string | null>;
  };
  readonly repositories: {
    states(): readonly RepoState[];
    /** Takes away locks whose git is gone, and says which; refuses where one may be at work. */
    freeLocks(gitDir: string): readonly string[];
    /** What git finds missing when it follows every version, or null. */
    follow(gitDir: string): Promise<string | null>;
  };
  readonly lock: {
    isHeld(): boolean;
    /** What keeps the lock file from being one. */
    fault(): string | null;
    /** What the holder, or the last one, wrote of itself. */
    holder(): Holder | null;
    /** Does something while no kernel can start; refuses while one is there. */
    hold<T>(work: () => Promise<T>): Promise<T>;
  };
  /** Whether the value of a secret, stored so and marked so, is still there; null for what is no mark of one. */
  readonly holdsSecret: (key: string, mark: string) => Promise<boolean | null>;
  /** When each failed run was that has left a core, the newest first. */
  readonly cores: () => readonly number[];
  /** Those of its person, with what was decided about them. */
  readonly hooks: () => Promise<readonly HookInfo[]>;
  /** Where the last backup was written; it may have gone since. */
  readonly lastBackup: () => string | null;
  /** Throws when no socket can be there. */
  readonly socketPath: () => string;
  /** Says hello to the kernel. */
  readonly greet: () => Promise<Answer>;
  readonly terminal: { readonly isTTY: boolean; readonly columns: number; readonly rows: number };
  /** Whom the environment chooses, offline when it says nothing; throws when what is chosen does not exist. */
  readonly provider: () => { readonly provider: string; readonly model: string; readonly name: string };
  /** Where a program is, by PATH. */
  readonly find: (program: string) => string | null;
  /** Runs a program to its end; its first line. */
  readonly run: (argv: readonly string[]) => Promise<{ readonly status: number; readonly says: string }>;
  readonly disk: (path: string) => {
    readonly freeBytes: number;
    readonly freeFiles: number;
    readonly isRemote: boolean;
  };
}
