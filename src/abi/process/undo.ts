// What a run changed in files, and how it is taken back, as callers see it.

/** A version of one file: what it holds and which kind of file it is, as git says it. Null: it is not there. */
export type FileState = { readonly oid: string; readonly mode: "100644" | "100755" | "120000" } | null;

export interface ChangedFile {
  /** As a person types it: on this machine, or inside gsv. */
  readonly path: string;
  readonly what: "added" | "changed" | "removed";
  /** Lines; null of what is no text. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface ShownDiff {
  readonly pid: string;
  readonly runId: string | null;
  readonly files: readonly ChangedFile[];
  /** As git prints it. */
  readonly text: string;
  readonly truncated: boolean;
  /** What was changed perhaps, and is not kept, and why. */
  readonly notKept: readonly string[];
}

export interface Undone {
  readonly pid: string;
  readonly runs: readonly string[];
  /** The message that history went back to; null where it was left alone. */
  readonly rewound: number | null;
  /** What was put back. */
  readonly files: readonly ChangedFile[];
  readonly notKept: readonly string[];
  /** By this it is brought back. */
  readonly redo: string | null;
}
