// What led to a message: the number of messages between processes before it, and the watches among its causes. Endless chains
// are stopped by it.

export interface Cause {
  readonly hops: number;
  /** Ids of signal watches. */
  readonly watches: readonly string[];
}

export const NO_CAUSE: Cause = { hops: 0, watches: [] };

/** The most messages in a row that processes send without a person. */
export const HOPS_MAX = 8;

export function both(left: Cause, right: Cause): Cause {
  return { hops: Math.max(left.hops, right.hops), watches: [...new Set([...left.watches, ...right.watches])] };
}
