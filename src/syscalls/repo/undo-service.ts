// The service behind proc.diff and proc.undo, as types.

import type { Caller } from "../../abi/identity.ts";
import type { ShownDiff, Undone } from "../../abi/process/undo.ts";
import type { CallContext } from "../define.ts";

export interface UndoRequest {
  readonly pid: string;
  /** Default: the last run that changed files. */
  readonly run?: string;
  /** Also discards changes that others made since. */
  readonly force: boolean;
  /** Reverts the last undo. */
  readonly redo: boolean;
}

export interface RewindRequest {
  readonly pid: string;
  /** The last message to keep; 0 for none. */
  readonly message: number;
  readonly what: "both" | "files" | "history";
  readonly force: boolean;
}

export interface Undoing {
  diff(
    caller: Caller,
    request: { readonly pid: string; readonly run?: string; readonly turn?: number },
  ): Promise<ShownDiff>;
  undo(context: CallContext, request: UndoRequest): Promise<Undone>;
  rewind(context: CallContext, request: RewindRequest): Promise<Undone>;
}
