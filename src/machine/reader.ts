// Notices when the reader of our output pipe has gone, even while nothing is written. A command that follows something would otherwise keep
// the whole pipeline waiting.

import { closeSync, constants, fstatSync, openSync } from "node:fs";

/** Missing in the types of Bun. */
const connect: (options: Bun.FdSocketOptions) => Promise<Bun.Socket> = Bun.connect as never;

/** Never called if the descriptor is not a pipe, or the system does not tell. */
export function onReaderGone(descriptor: number, gone: () => void): () => void {
  let isCalled = false;
  const tell = () => {
    if (!isCalled) gone();
    isCalled = true;
  };
  const stop = watch(descriptor, tell);
  return () => {
    isCalled = true;
    stop();
  };
}

function watch(descriptor: number, gone: () => void): () => void {
  let own: number;
  try {
    if (process.platform !== "linux" || !fstatSync(descriptor).isFIFO()) return () => {};
    // Open it again: watching makes it non-blocking, which must not affect other writers.
    own = openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") queueMicrotask(gone);
    return () => {};
  }
  const watched = connect({ fd: own, socket: { open: () => {}, data: () => {}, close: gone } }).catch(() => {
    closeSync(own);
    return null;
  });
  return () => void watched.then((socket) => socket?.terminate());
}
