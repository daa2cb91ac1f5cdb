// What metrics are made of; the kernel provides it.

export interface Figures {
  readonly startedAt: number;
  /** Numbers of processes by state. */
  readonly states: readonly (readonly [string, number])[];
  readonly queue: { readonly messages: number; readonly oldestAt: number | null };
  readonly approvals: {
    readonly waiting: readonly (readonly [string, number])[];
    readonly oldestAt: number | null;
  };
  /** Since `watch`. */
  readonly usage: {
    readonly turns: number;
    readonly wasted: number;
    readonly unpriced: number;
    readonly costUsd: number;
    readonly tokens: { readonly [kind: string]: number };
  };
  readonly clients: number;
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

/** Called once for each call and transaction: must be fast and never throw. */
export interface Meters {
  /** `outcome` is `ok` or an error code. */
  call(name: string, outcome: string, ms: number): void;
  write(durability: string, ms: number): void;
}

export interface FigureSource {
  /** Measures calls and transactions from now on; the function that it returns ends that. */
  watch(meters: Meters): () => void;
  read(): Promise<Figures>;
}
