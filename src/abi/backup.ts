// What keeping a home means to a person: backups made and put back, what takes how much space, and how long things are kept.

/** 0 keeps for ever. */
export interface RetentionSettings {
  readonly archivesDays: number;
  readonly auditDays: number;
  readonly syscallLogDays: number;
  /** Ended runs inside processes; what they said stays in the history. */
  readonly runsDays: number;
}

export interface BackupCounts {
  readonly processes: number;
  readonly messages: number;
  readonly archives: number;
  readonly files: number;
}

export interface BackupMade {
  readonly file: string;
  /** Of the file as it lies there. */
  readonly bytes: number;
  readonly generation: number;
  readonly counts: BackupCounts;
  /** What was damaged before, and therefore is not in it; one line each. */
  readonly faults: readonly string[];
}

export interface BackupRestored {
  readonly home: string;
  readonly madeAt: number;
  readonly counts: BackupCounts;
  readonly faults: readonly string[];
  /** Where the home that was there before lies now. */
  readonly replaced: string | null;
}

export interface Usage {
  readonly kind:
    | "kernel"
    | "process"
    | "archives"
    | "files"
    | "repos"
    | "workspace"
    | "logs"
    | "quarantine"
    | "backups"
    | "other";
  /** The pid, the account, the directory: whose it is. */
  readonly name: string;
  readonly bytes: number;
  /** Databases, archives, objects or files. */
  readonly count: number;
}

export interface HomeUsage {
  readonly home: string;
  readonly rows: readonly Usage[];
  readonly usedBytes: number;
  readonly freeBytes: number;
}

export interface HomeKeeping {
  backup(file: string, options: { readonly force: boolean }): Promise<BackupMade>;
  restore(file: string, options: { readonly force: boolean }): Promise<BackupRestored>;
  usage(): Promise<HomeUsage>;
}
