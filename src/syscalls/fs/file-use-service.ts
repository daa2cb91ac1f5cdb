// The service behind fs.uses and fs.writers, as types: which process knows or wrote which file, and who wrote one file.

import type { CallContext } from "../define.ts";
import type { FileTarget } from "./files-service.ts";

export interface FileUseInfo {
  readonly pid: string;
  readonly label: string | null;
  readonly target: FileTarget;
  readonly path: string;
  /** What it did with it last. */
  readonly how: "read" | "wrote" | "removed";
  /** The content it saw or left there. */
  readonly version: string | null;
  /** Whether the file holds something else by now; null where that cannot be told. */
  readonly isStale: boolean | null;
  readonly at: number;
  readonly run: string | null;
}

export interface FileWriterInfo {
  readonly at: number;
  readonly target: FileTarget;
  readonly path: string;
  readonly what: "wrote" | "removed" | "moved here";
  /** The account; null where nobody says. */
  readonly account: string | null;
  readonly pid: string | null;
  readonly run: string | null;
  /** The tool call, and which tool. */
  readonly call: string | null;
  readonly tool: string | null;
  /** In a place that has versions, the version that it made. */
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
