// What a model process holds, row by row.

import type { Message } from "../../src/abi/process/message.ts";
import type { Approval, RunStatus, Usage } from "../../src/abi/process/process.ts";
import type { NestedCall } from "../../src/store/process/nested.ts";
import type { Admission, CallRow, CallStatus } from "../../src/store/process/verbs.ts";

export interface ModelRun {
  readonly runId: string;
  readonly generation: number;
  model: string | null;
  readonly mergedInto: string | null;
  status: RunStatus | null;
  reason: string;
  text: string | null;
  error: string | null;
  usage: Usage;
  turn: number;
  deaths: number;
  finishedAt: number | null;
}

export type ModelCall = Omit<CallRow, "status"> & {
  readonly runId: string;
  readonly generation: number;
  status: CallStatus;
  readonly position?: number;
  result?: NestedCall["result"];
};
export type ModelQueued = Admission & { readonly id: number; generation: number };
export type ModelAsked = { approval: Approval; readonly dispatchId: string; readonly generation: number };
/** A message without its number: that is given when it enters. */
export type NewMessage = Message extends infer M ? (M extends Message ? Omit<M, "id"> : never) : never;
