// Messages between the kernel and the code block thread.

export interface CodeJob {
  readonly code: string;
  /** JSON of the global `args`. */
  readonly args: string;
  /** Fixed time and random seed: a repeated block must do the same. */
  readonly now: number;
  readonly seed: number;
  readonly servers: readonly BlockServer[];
  readonly limits: {
    readonly memoryBytesMax: number;
    readonly stackBytesMax: number;
    /** CPU time, without waiting for calls. */
    readonly runMsMax: number;
    /** Result and logs together. */
    readonly outputBytesMax: number;
    readonly callsMax: number;
  };
}

/** An MCP server, whose tools are functions of the block. */
export interface BlockServer {
  readonly name: string;
  readonly tools: readonly string[];
  /** What printing it prints. */
  readonly types: string;
}

export interface CodeEnd {
  /** JSON; null if it returned nothing or failed. */
  readonly result: string | null;
  readonly logs: readonly string[];
  readonly fault: string | null;
}

export type ToCode =
  | { readonly kind: "run"; readonly job: CodeJob }
  /** JSON, by number of the call. */
  | { readonly kind: "answer"; readonly id: number; readonly value: string };

export type FromCode =
  | { readonly kind: "ready" }
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly args: string }
  /** It is waiting for calls: its time does not run. */
  | { readonly kind: "waits" }
  | { readonly kind: "end"; readonly end: CodeEnd };
