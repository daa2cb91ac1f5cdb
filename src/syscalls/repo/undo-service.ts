// The service behind proc.diff and proc.undo, as types.

import type { Caller } from "../../abi/identity.ts";
import type { ShownDiff, Undone } from "../../abi/process/undo.ts";
import type { CallContext } from "../define.ts";

export interface UndoRequest {
  readonly pid: string;
  /** Only this run's; the last one that changed something when left out. */
  readonly run?: string;
  /** What others changed since goes too. */
  readonly force: boolean;
  /** The last undo is taken back. */
  readonly redo: boolean;
}

export interface RewindRequest {
  readonly pid: string;
  /** The last one that stays; 0 is before the first. */
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
