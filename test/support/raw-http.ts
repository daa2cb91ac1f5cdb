// HTTP by hand, for requests that no library would send.

import { connect } from "node:net";

export interface RawAnswer {
  /** 0 if the connection ended without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends these bytes and reads until the end of the answer, or until the server closes. `half` hangs up instead of waiting. */
export function rawRequest(url: string, text: string, { half = false } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let read = "";
    const done = () => {
      socket.destroy();
      const at = read.indexOf("\r\n\r\n");
      resolve({
        status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(read)?.[1] ?? 0),
        head: at === -1 ? read : read.slice(0, at),
        body: at === -1 ? "" : read.slice(at + 4),
      });
    };
    socket.on("data", (chunk) => {
      read += chunk.toString("latin1");
      if (isWhole(read)) done();
    });
    socket.on("close", done);
    socket.on("error", done);
    socket.on("connect", () => {
      socket.write(Buffer.from(text, "latin1"), () => {
        if (half) setImmediate(done);
      });
    });
  });
}

function isWhole(read: string): boolean {
  const at = read.indexOf("\r\n\r\n");
  if (at === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(read.slice(0, at))?.[1];
  if (length !== undefined) return read.length >= at + 4 + Number(length);
  // Streams begin; nothing here waits for their end.
  return /\r\ntransfer-encoding: chunked/i.test(read.slice(0, at)) || /^HTTP\/1\.[01] (?:1|204|304)/.test(read);
}
