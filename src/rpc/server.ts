// The kernel's end of the socket: takes connections, hands each to a Connection, says bye and closes. The path is bound under
// another name and moved into place, and is removed only while it is still ours. That only its owner can connect rests on the
// directory being 0700; the socket file itself protects nothing.

import { lstatSync, renameSync, rmSync } from "node:fs";
import type { UnixSocketListener } from "bun";
import type { LeaveReason } from "../abi/sys.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

export interface ServeOptions extends ConnectionOptions {
  readonly socketPath: string;
  /** How long close() waits for keyed calls, and then for peers to read their answers. */
  readonly closeMs?: number;
}

export interface Server {
  /** Open connections, also those that have not said hello yet. */
  readonly clients: number;
  /** Asked at each accept; false ends the connection before a byte is written. */
  onConnect(check: () => boolean): void;
  /** Tells everyone, and everyone who comes from now on, that this kernel is leaving. Calls go on being answered. */
  bye(why: LeaveReason): void;
  /** Takes no more calls, answers the keyed ones it has, and closes. What was not answered was not carried out. */
  close(): Promise<void>;
}

const CLOSE_MS = 5000;

export async function serve(options: ServeOptions): Promise<Server> {
  const { socketPath } = options;
  const connections = new Set<Connection>();
  let check: () => boolean = () => true;
  let leaving: LeaveReason | null = null;
  let closing: Promise<void> | null = null;

  rmSync(`${socketPath}.new`, { force: true });
  const listener = Bun.listen<Connection | undefined>({
    unix: `${socketPath}.new`,
    socket: {
      open(socket) {
        if (closing !== null || !check()) {
          socket.terminate();
          return;
        }
        socket.data = new Connection(socket, options, () => leaving);
        connections.add(socket.data);
      },
      data: (socket, chunk) => socket.data?.received(chunk),
      drain: (socket) => socket.data?.drained(),
      close(socket) {
        if (socket.data === undefined) return;
        connections.delete(socket.data);
        socket.data.gone();
      },
      error() {},
    },
  });
  renameSync(`${socketPath}.new`, socketPath);
  const ours = lstatSync(socketPath, { bigint: true });

  return {
    get clients() {
      return connections.size;
    },
    onConnect(callback) {
      check = callback;
    },
    bye(why) {
      leaving = why;
      for (const connection of connections) connection.bye(why);
    },
    close() {
      closing ??= closeAll(options, listener, connections, ours.ino);
      return closing;
    },
  };
}

async function closeAll(
  options: ServeOptions,
  listener: UnixSocketListener<Connection | undefined>,
  connections: ReadonlySet<Connection>,
  inode: bigint,
): Promise<void> {
  // The path goes first, so that nobody new comes; unless another kernel has put its own there.
  const there = lstatSync(options.socketPath, { bigint: true, throwIfNoEntry: false });
  if (there?.ino === inode) rmSync(options.socketPath, { force: true });
  const enough = new AbortController();
  const closed = Promise.all([...connections].map((connection) => connection.finish()));
  await Promise.race([closed, options.clock.sleep(options.closeMs ?? CLOSE_MS, enough.signal)]);
  enough.abort();
  listener.stop(true);
}
