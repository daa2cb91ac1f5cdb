// Whoever reads what this program writes into a pipe: told when they have gone, however long nothing is written. What follows without end
// would else stay, and with it the whole line of the shell, until the next thing happened.

import { closeSync, constants, fstatSync, openSync } from "node:fs";

/** What the types leave out. */
const connect: (options: Bun.FdSocketOptions) => Promise<Bun.Socket> = Bun.connect as never;

/** Nothing is told where the descriptor is no pipe, or the system cannot say. */
export function onReaderGone(descriptor: number, gone: () => void): () => void {
  let told = false;
  const tell = () => {
    if (!told) gone();
    told = true;
  };
  const stop = watch(descriptor, tell);
  return () => {
    told = true;
    stop();
  };
}

function watch(descriptor: number, gone: () => void): () => void {
  let own: number;
  try {
    if (process.platform !== "linux" || !fstatSync(descriptor).isFIFO()) return () => {};
    // Opened anew: what is watched does not block, and the one that others write into as well must go on to.
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
