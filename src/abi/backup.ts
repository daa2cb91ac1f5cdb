// Backups, restores, disk usage and retention of a home.

/** 0 keeps everything. */
export interface RetentionSettings {
  readonly archivesDays: number;
  readonly auditDays: number;
  readonly syscallLogDays: number;
  /** Rows of ended runs. Their messages stay in the history. */
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
  /** Compressed. */
  readonly bytes: number;
  readonly generation: number;
  readonly counts: BackupCounts;
  /** Damaged items that are not in the backup, one line each. */
  readonly faults: readonly string[];
}

export interface BackupRestored {
  readonly home: string;
  readonly madeAt: number;
  readonly counts: BackupCounts;
  readonly faults: readonly string[];
  /** New path of the replaced home. */
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
  /** Pid, account or directory. */
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
