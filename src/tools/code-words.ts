// What the kernel and the thread that runs a block of code say to each other.

export interface CodeJob {
  readonly code: string;
  /** JSON: what the block knows as `args`. */
  readonly args: string;
  /** A block that is run again must go the same way: the instant it takes for now, and where its random numbers begin. */
  readonly now: number;
  readonly seed: number;
  readonly limits: {
    readonly memoryBytesMax: number;
    readonly stackBytesMax: number;
    /** Of its own work, not of waiting for calls. */
    readonly runMsMax: number;
    /** Of the result and all that is logged. */
    readonly outputBytesMax: number;
    readonly callsMax: number;
  };
}

export interface CodeEnd {
  /** JSON; null where it returned nothing, or failed. */
  readonly result: string | null;
  readonly logs: readonly string[];
  /** What it failed with, in one line. */
  readonly fault: string | null;
}

export type ToCode =
  | { readonly kind: "run"; readonly job: CodeJob }
  /** JSON, of a call by its number. */
  | { readonly kind: "answer"; readonly id: number; readonly value: string };

export type FromCode =
  | { readonly kind: "ready" }
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly args: string }
  /** It works, or waits for calls: whoever watches the time knows which. */
  | { readonly kind: "waits" }
  | { readonly kind: "end"; readonly end: CodeEnd };
