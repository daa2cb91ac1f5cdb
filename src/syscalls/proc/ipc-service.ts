// The service behind proc.ipc.*, as types.

import type { CallContext } from "../define.ts";

export interface IpcMessage {
  readonly pid: string;
  readonly message: string;
  /** Shown to the other process as JSON. */
  readonly metadata?: { readonly [key: string]: unknown };
}

export interface IpcRequest extends IpcMessage {
  readonly timeoutMs?: number;
  /** The same as people write it, such as `2m`. */
  readonly timeout?: string;
  /** Answer at once; the reply comes as a message. */
  readonly background?: boolean;
}

export interface IpcSent {
  readonly pid: string;
  readonly runId: string;
  readonly queued: boolean;
}

export interface IpcReply {
  readonly id: string;
  readonly pid: string;
  readonly text: string;
}

/** A call in the background. */
export interface IpcBegun {
  readonly id: string;
  readonly pid: string;
  readonly runId: string | null;
  readonly deadlineAt: number;
}

export interface Ipc {
  send(context: CallContext, message: IpcMessage): Promise<IpcSent>;
  /** Waits for the reply, unless in the background. Throws if there is none by the deadline. */
  call(context: CallContext, request: IpcRequest): Promise<IpcReply | IpcBegun>;
}
