// A model server on loopback that sends, byte by byte, the script of a test: real HTTP over a real socket, so that a client gets real
// pieces, cuts and silence. Replies are used up in order; after the last one comes the default reply, or 500. It records
// every request whole.

import type { Socket } from "bun";

export interface WireReply {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /** Bytes of the body in one piece; each piece is written on its own. */
  readonly split?: number;
  /** The connection is closed after the body, without its end. */
  readonly cut?: true;
  /** Nothing comes after the body; the connection stays open until the client leaves. */
  readonly hangs?: true;
  /** The connection is closed before the first byte. */
  readonly refuses?: true;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly json: Record<string, unknown>;
}

type Connection = Socket<{ open: Buffer }>;

export class WireServer {
  readonly requests: WireRequest[] = [];
  /** Connections that clients closed during an answer. */
  left = 0;
  private readonly replies: WireReply[] = [];
  private readonly busy = new Set<Connection>();
  private readonly server = Bun.listen<{ open: Buffer }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { open: Buffer.alloc(0) };
      },
      data: (socket, bytes) => this.read(socket, bytes),
      close: (socket) => {
        if (this.busy.delete(socket)) this.left++;
      },
      error: () => {},
    },
  });

  constructor(
    private readonly usual: (request: WireRequest) => WireReply | Promise<WireReply> = () => ({ status: 500 }),
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  will(...replies: readonly WireReply[]): this {
    this.replies.push(...replies);
    return this;
  }

  stop(): void {
    this.server.stop(true);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  private read(socket: Connection, bytes: Buffer): void {
    // The first byte of a TLS handshake: it speaks plain HTTP alone.
    if (socket.data.open.length === 0 && bytes[0] === 0x16) return void socket.terminate();
    socket.data.open = Buffer.concat([socket.data.open, bytes]);
    for (;;) {
      const request = this.taken(socket);
      if (request === null) return;
      this.requests.push(request);
      void this.answer(socket, this.replies.shift() ?? this.usual(request));
    }
  }

  /** Removes the first whole request from the received bytes. */
  private taken(socket: Connection): WireRequest | null {
    const { open } = socket.data;
    const end = open.indexOf("\r\n\r\n");
    if (end < 0) return null;
    const [first = "", ...lines] = open.subarray(0, end).toString().split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers["content-length"] ?? 0);
    if (open.length < end + 4 + length) return null;
    const body = open.subarray(end + 4, end + 4 + length).toString();
    socket.data.open = open.subarray(end + 4 + length);
    const [method = "", path = ""] = first.split(" ");
    return { method, path, headers, body, json: body === "" ? {} : JSON.parse(body) };
  }

  private async answer(socket: Connection, answered: WireReply | Promise<WireReply>): Promise<void> {
    const reply = await answered;
    const { status = 200, type = "text/event-stream", body = "" } = reply;
    if (reply.refuses) return void socket.terminate();
    this.busy.add(socket);
    const headers = { "content-type": type, "transfer-encoding": "chunked", ...reply.headers };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    await this.write(socket, Buffer.from(`HTTP/1.1 ${status} Said\r\n${head.join("")}\r\n`));
    const bytes = Buffer.from(body);
    const size = reply.split ?? Math.max(1, bytes.length);
    for (let from = 0; from < bytes.length; from += size) {
      const piece = bytes.subarray(from, from + size);
      await this.write(
        socket,
        Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
      );
    }
    if (reply.hangs) return;
    if (!reply.cut) await this.write(socket, Buffer.from("0\r\n\r\n"));
    this.busy.delete(socket);
    if (reply.cut) socket.end();
  }

  // All of it, and sent before the next piece.
  private async write(socket: Connection, bytes: Buffer): Promise<void> {
    for (let left = bytes; left.length > 0; ) {
      const written = socket.write(left);
      if (written < 0) return;
      left = left.subarray(written);
      socket.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
