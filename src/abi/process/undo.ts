// The file changes of a run, and their undo.

/** A version of a file, in git's terms. null: no file. */
export type FileState = { readonly oid: string; readonly mode: "100644" | "100755" | "120000" } | null;

export interface ChangedFile {
  /** A host path, or a path inside gsv. */
  readonly path: string;
  readonly what: "added" | "changed" | "removed";
  /** Lines; null for binary files. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface ShownDiff {
  readonly pid: string;
  readonly runId: string | null;
  readonly files: readonly ChangedFile[];
  /** In git's format. */
  readonly text: string;
  readonly truncated: boolean;
  /** Possible changes without a saved version, and why. */
  readonly notKept: readonly string[];
}

export interface Undone {
  readonly pid: string;
  readonly runs: readonly string[];
  /** The message that the history was rewound to; null if unchanged. */
  readonly rewound: number | null;
  /** Restored files. */
  readonly files: readonly ChangedFile[];
  readonly notKept: readonly string[];
  /** The id to redo the undo. */
  readonly redo: string | null;
}
