// The kernel's side of the socket: accepts connections, sends bye and closes. The socket is bound under another name and renamed into place,
// created again if it is deleted, and removed only while it is still ours. Only the owner can connect because the directory is 0700; the
// mode of a socket file protects nothing.

import { closeSync, openSync, renameSync, rmSync } from "node:fs";
import type { UnixSocketListener } from "bun";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { LeaveReason } from "../abi/sys.ts";
import { sameFile } from "../lib/same-file.ts";
import { waitAtMost } from "../lib/wait.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

export interface ServeOptions extends ConnectionOptions {
  readonly socketPath: string;
  /** The directory of the socket, if it is used for nothing else. */
  readonly place?: { make(): void; leave(): void };
  /** Maximum connections. As many again get an error, more are closed. */
  readonly connectionsMax?: number;
  /** How long close() waits for keyed calls, and then for peers to read their answers. */
  readonly closeMs?: number;
}

export interface Server {
  /** Open connections, with those before hello. */
  readonly clients: number;
  /** `check` runs at each accept; false closes the connection before a byte is written. */
  onConnect(check: () => boolean): void;
  /** Called when the last client has gone. */
  onQuiet(listener: () => void): void;
  /** Creates a deleted socket again, and pauses while no descriptor is free. Called now and then. */
  keepReachable(): void;
  /** Tells present and future clients that this kernel is leaving. Calls are still answered. */
  bye(why: LeaveReason): void;
  /** Takes no more calls, answers the keyed ones, and closes. An unanswered call was not carried out. */
  close(): Promise<void>;
}

const CLOSE_MS = 5000;

export async function serve(options: ServeOptions): Promise<Server> {
  const connections = new Set<Connection>();
  let check: () => boolean = () => true;
  let quiet = () => {};
  let leaving: LeaveReason | null = null;
  let closing: Promise<void> | null = null;
  let bound: Bound | null = bind();

  function bind(): Bound {
    const { socketPath, place, connectionsMax = LIMITS.connectionsMax } = options;
    place?.make();
    rmSync(`${socketPath}.new`, { force: true });
    const listener = Bun.listen<Connection | undefined>({
      unix: `${socketPath}.new`,
      socket: {
        open(socket) {
          if (closing !== null || connections.size >= 2 * connectionsMax || !check()) {
            socket.terminate();
            return;
          }
          const isFull = connections.size >= connectionsMax;
          socket.data = new Connection(socket, options, () => leaving);
          connections.add(socket.data);
          if (isFull) socket.data.refuse(tooManyConnections(connectionsMax));
        },
        data: (socket, chunk) => socket.data?.received(chunk),
        drain: (socket) => socket.data?.drained(),
        close(socket) {
          if (socket.data === undefined) return;
          connections.delete(socket.data);
          socket.data.gone();
          if (connections.size === 0) quiet();
        },
        error() {},
      },
    });
    renameSync(`${socketPath}.new`, socketPath);
    return { listener, isThere: sameFile(socketPath) };
  }

  function keepReachable(): void {
    if (closing !== null) return;
    try {
      if (lacksDescriptors()) {
        // Otherwise the same connection would be offered again and again.
        if (bound !== null)
          options.onFault?.("accept", new Error("too many open files: no new client until some are closed"));
        bound?.listener.stop();
        bound = null;
        return;
      }
      if (bound?.isThere()) return;
      const before = bound;
      bound = bind();
      before?.listener.stop();
    } catch (error) {
      options.onFault?.("listen", error);
    }
  }

  return {
    get clients() {
      return connections.size;
    },
    onConnect(callback) {
      check = callback;
    },
    onQuiet(listener) {
      quiet = listener;
    },
    keepReachable,
    bye(why) {
      leaving = why;
      for (const connection of connections) connection.bye(why);
    },
    close() {
      closing ??= closeAll(options, bound, connections);
      return closing;
    },
  };
}

interface Bound {
  readonly listener: UnixSocketListener<Connection | undefined>;
  readonly isThere: () => boolean;
}

async function closeAll(
  options: ServeOptions,
  bound: Bound | null,
  connections: ReadonlySet<Connection>,
): Promise<void> {
  // Remove the path first, so that no client comes, unless it belongs to another kernel by now.
  if (bound?.isThere()) rmSync(options.socketPath, { force: true });
  const closed = Promise.all([...connections].map((connection) => connection.finish()));
  await waitAtMost(options.clock, options.closeMs ?? CLOSE_MS, closed);
  bound?.listener.stop(true);
  options.place?.leave();
}

function lacksDescriptors(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    return /^E[MN]FILE$/.test(String((error as { code?: unknown }).code));
  }
}

function tooManyConnections(max: number): SysError {
  return new SysError("EAGAIN", `the kernel already has ${max} clients, the maximum`, [
    "close some, or try again later",
  ]);
}
