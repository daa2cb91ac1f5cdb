// A websocket client over plain TCP: its reading can be paused, which the built-in one cannot.

import { connect, type Socket } from "node:net";

export interface RawPeer {
  readonly socket: Socket;
  /** Sends text as one message. */
  send(text: string): void;
}

export async function rawWebsocket(port: number, token?: string): Promise<RawPeer> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const headers = {
    Host: `127.0.0.1:${port}`,
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64"),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /api/socket HTTP/1.1\r\n${lines.join("")}\r\n`);
  await new Promise((resolve, reject) => {
    socket.once("data", (answer: Buffer) => {
      if (answer.includes("HTTP/1.1 101")) resolve(null);
      else reject(new Error(answer.toString().split("\r\n")[0]));
    });
  });
  return { socket, send: (text) => void socket.write(masked(text)) };
}

/** A text message of a client. Its mask is zero. */
function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const short = Buffer.from([0x81, 0x80 | Math.min(body.length, 126)]);
  const long = body.length < 126 ? Buffer.alloc(0) : Buffer.from([body.length >> 8, body.length & 255]);
  return Buffer.concat([short, long, Buffer.alloc(4), body]);
}
