// The exit status of what did not end by itself: a signal of the operating system, or a limit, as every shell and `timeout` have it.

export const ENDED_BY = { time: 124, HUP: 129, INT: 130, KILL: 137, PIPE: 141, TERM: 143, output: 153 } as const;
