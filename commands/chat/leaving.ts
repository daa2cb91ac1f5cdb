// Reading the message from stdin can be interrupted or time out. Then nothing was sent.

import { ENDED_BY } from "../../src/abi/errno.ts";
import type { Interruption, Io } from "../command.ts";
import type { Ending } from "./ending.ts";

const NOTHING_SENT = "nothing was sent";

/** The message, or the end before it was read. */
export type Before<T> = { readonly read: T } | { readonly ending: Ending };

export async function readBeforeLeaving<T>(io: Io, reading: Promise<T>, limitMs: number | null): Promise<Before<T>> {
  const { promise: left, resolve: leave } = Promise.withResolvers<Ending>();
  const stops = [io.onSignal((name) => leave(endingOf(name)))];
  if (limitMs !== null) stops.push(keptAwake(io, limitMs, () => leave(endingLate(limitMs))));
  try {
    return await Promise.race([reading.then((read) => ({ read })), left.then((ending) => ({ ending }))]);
  } finally {
    for (const stop of stops) stop();
    reading.catch(() => {});
  }
}

function endingOf(name: Interruption): Ending {
  return { status: name === "INT" ? "aborted" : "detached", exit: ENDED_BY[name], error: NOTHING_SENT };
}

function endingLate(limitMs: number): Ending {
  return {
    status: "timeout",
    exit: ENDED_BY.time,
    error: `stdin did not end within ${limitMs / 1000} s; ${NOTHING_SENT}`,
  };
}

/** A sleep keeps the command alive; a callback of the clock does not. */
function keptAwake(io: Io, ms: number, late: () => void): () => void {
  const inTime = new AbortController();
  void io.clock.sleep(ms, inTime.signal).then(() => inTime.signal.aborted || late());
  return () => inTime.abort();
}
