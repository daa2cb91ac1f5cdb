// The service behind fs.uses and fs.writers, as types: which process has read or written a file.

import type { CallContext } from "../define.ts";
import type { FileTarget } from "./files-service.ts";

export interface FileUseInfo {
  readonly pid: string;
  readonly label: string | null;
  readonly target: FileTarget;
  readonly path: string;
  /** Its last action on the file. */
  readonly how: "read" | "wrote" | "removed";
  /** The version it read or wrote. */
  readonly version: string | null;
  /** Whether the file has changed since; null if unknown. */
  readonly isStale: boolean | null;
  readonly at: number;
  readonly run: string | null;
}

export interface FileWriterInfo {
  readonly at: number;
  readonly target: FileTarget;
  readonly path: string;
  readonly what: "wrote" | "removed" | "moved here";
  /** Null if unknown. */
  readonly account: string | null;
  readonly pid: string | null;
  readonly run: string | null;
  /** Id of the tool call. */
  readonly call: string | null;
  readonly tool: string | null;
  /** The commit, if the file is versioned. */
  readonly commit: string | null;
  readonly movedFrom: string | null;
}

export interface FileUse {
  /** Newest first. */
  uses(
    context: CallContext,
    query: { readonly path?: string; readonly pid?: string; readonly target: FileTarget; readonly limit: number },
  ): Promise<{ readonly uses: readonly FileUseInfo[]; readonly more: boolean }>;
  /** Newest first. */
  writers(
    context: CallContext,
    query: { readonly path: string; readonly target: FileTarget; readonly since?: string; readonly limit: number },
  ): Promise<{ readonly writers: readonly FileWriterInfo[]; readonly more: boolean }>;
}
