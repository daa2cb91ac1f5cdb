// One websocket as the socket of a connection. While a peer does not read, writes stop: the rest waits in the connection's own queue, which
// has a limit.

import type { ServerWebSocket } from "bun";
import type { Arrival } from "../abi/identity.ts";
import type { Connection, PeerSocket } from "../rpc/connection.ts";

/** Data of a websocket. `connection` is null until it opens. */
export interface Visitor {
  readonly token: string;
  /** Its first frame brings the key. */
  readonly isBrowser: boolean;
  readonly arrival: Arrival;
  connection: Connection | null;
  /** Why its login ended before it; null if it has not. */
  end: string | null;
}

/** Bytes that may wait in the socket. */
const WAITING_BYTES_MAX = 256 * 1024;
/** A peer with more unread bytes is disconnected. The connection's own limit is far below. */
export const BACKPRESSURE_BYTES_MAX = 2 * 1024 * 1024;

const CLOSED = { normal: 1000, leaving: 1012, lost: 4010, revoked: 4001 } as const;

export function peerSocket(socket: ServerWebSocket<Visitor>, isLeaving: () => boolean): PeerSocket {
  return {
    write(bytes) {
      if (socket.readyState !== WebSocket.OPEN) return -1;
      if (socket.getBufferedAmount() > WAITING_BYTES_MAX) return 0;
      if (socket.sendBinary(bytes) !== 0 || bytes.length === 0) return bytes.length;
      // Dropped: a hole in the stream must not go unseen.
      socket.close(CLOSED.lost, "the client does not read");
      return -1;
    },
    end() {
      const { end } = socket.data;
      if (end !== null) socket.close(CLOSED.revoked, end);
      else socket.close(isLeaving() ? CLOSED.leaving : CLOSED.normal);
    },
    terminate: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
