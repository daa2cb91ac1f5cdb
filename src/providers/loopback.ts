// HTTP with a model server on this computer. As `fetch`, but the body is read from the socket only when its reader asks: `fetch` wakes two
// threads for every write of the server, which costs more than all other work on a streamed token.

import type { Socket } from "bun";

const HEAD_BYTES_MAX = 256 * 1024;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const NO_BODY: readonly number[] = [204, 205, 304];

type Fetched = (url: string | URL | Request, init: RequestInit) => Promise<Response>;

/** Everything that is not a plain request to this computer goes to `otherwise`, also if nothing listens: its errors are known. */
export async function fetchLocal(
  given: string | URL | Request,
  init: RequestInit,
  otherwise: Fetched,
): Promise<Response> {
  const url = given instanceof Request ? null : new URL(given);
  const { body = null } = init;
  const isOurs = url?.protocol === "http:" && LOOPBACK.test(url.hostname);
  if (url === null || !isOurs || !(body === null || typeof body === "string")) return await otherwise(given, init);
  const exchange = new Exchange(init.signal ?? null);
  return (await exchange.begin(url, requestOf(url, init))) ? await exchange.response : await otherwise(given, init);
}

function requestOf(url: URL, { method = "GET", headers: given, body = null }: RequestInit): Buffer {
  const headers = new Headers(given);
  headers.set("host", url.host);
  headers.set("connection", "close");
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "gzip, deflate, br, zstd");
  if (typeof body === "string") headers.set("content-length", String(Buffer.byteLength(body)));
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${method.toUpperCase()} ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n${body ?? ""}`);
}

class Exchange {
  private readonly answered = Promise.withResolvers<Response>();
  private socket: Socket<undefined> | null = null;
  private unsent: Buffer = Buffer.alloc(0);
  private head = Buffer.alloc(0);
  private body: { readonly controller: ReadableStreamDefaultController<Uint8Array>; readonly left: Body } | null = null;
  private isOver = false;
  private readonly onAbort = () => this.fail(new DOMException("The operation was aborted.", "AbortError"));

  constructor(private readonly signal: AbortSignal | null) {
    // It may fail before anyone waits.
    this.answered.promise.catch(() => {});
  }

  get response(): Promise<Response> {
    return this.answered.promise;
  }

  /** False if there is no connection. */
  async begin(url: URL, request: Buffer): Promise<boolean> {
    this.unsent = request;
    if (this.signal?.aborted) this.onAbort();
    this.signal?.addEventListener("abort", this.onAbort);
    const connecting = Bun.connect<undefined>({
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || 80),
      socket: {
        open: (socket) => this.opened(socket),
        drain: () => this.send(),
        data: (_socket, bytes) => this.received(bytes),
        close: () => this.closed(),
        error: () => this.fail(lost()),
      },
    });
    const isConnected = await Promise.race([
      connecting.then(
        () => true,
        () => false,
      ),
      this.answered.promise.then(
        () => true,
        () => true,
      ),
    ]);
    if (!isConnected) this.end();
    return isConnected;
  }

  private opened(socket: Socket<undefined>): void {
    this.socket = socket;
    if (this.isOver) socket.terminate();
    else this.send();
  }

  private send(): void {
    const written = this.socket?.write(this.unsent) ?? 0;
    this.unsent = this.unsent.subarray(Math.max(0, written));
  }

  private received(bytes: Buffer): void {
    if (this.isOver) return;
    try {
      const rest = this.body === null ? this.begun(bytes) : bytes;
      if (rest !== null && this.body !== null) this.grow(rest);
    } catch (error) {
      this.fail(error instanceof Error ? error : invalid());
    }
  }

  /** Reads the head. Returns the first bytes of the body, or null while the head is not complete. */
  private begun(bytes: Buffer): Buffer | null {
    this.head = Buffer.concat([this.head, bytes]);
    for (;;) {
      const end = this.head.indexOf("\r\n\r\n");
      if (!/^H(?:T(?:T(?:P(?:\/.*)?)?)?)?$/s.test(this.head.toString("latin1", 0, 6))) throw invalid();
      if (end < 0 && this.head.length > HEAD_BYTES_MAX) throw invalid();
      if (end < 0) return null;
      const { status, headers } = headOf(this.head.toString("latin1", 0, end));
      const rest = this.head.subarray(end + 4);
      this.head = rest;
      // Interim answers, such as 100 Continue.
      if (status < 200) continue;
      this.answer(status, headers);
      return rest;
    }
  }

  private answer(status: number, headers: Headers): void {
    const left = NO_BODY.includes(status) ? new Length(0) : bodyOf(headers);
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.body = { controller, left };
        },
        pull: () => void this.socket?.resume(),
        cancel: () => this.end(),
      },
      { highWaterMark: 0 },
    );
    this.answered.resolve(new Response(NO_BODY.includes(status) ? null : stream, { status, headers }));
  }

  private grow(bytes: Buffer): void {
    const { controller, left } = this.body!;
    const content = left.take(bytes);
    if (content.length > 0) {
      controller.enqueue(content);
      if ((controller.desiredSize ?? 0) <= 0) this.socket?.pause();
    }
    if (left.isComplete) this.complete();
  }

  private complete(): void {
    this.body?.controller.close();
    this.end();
  }

  private closed(): void {
    if (this.isOver) return;
    if (this.body?.left.endsWithConnection) this.complete();
    else this.fail(lost());
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.answered.reject(error);
    this.body?.controller.error(error);
    this.end();
  }

  private end(): void {
    this.isOver = true;
    this.signal?.removeEventListener("abort", this.onAbort);
    this.socket?.terminate();
  }
}

/** What is left of a body. */
interface Body {
  readonly isComplete: boolean;
  readonly endsWithConnection: boolean;
  /** Returns the content in these bytes, copied: the socket uses its memory again. */
  take(bytes: Buffer): Uint8Array;
}

function headOf(text: string): { readonly status: number; readonly headers: Headers } {
  const [first = "", ...lines] = text.split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1]);
  if (!(status >= 100 && status < 600) || status === 101) throw invalid();
  const headers = new Headers();
  for (const line of lines) {
    const at = line.indexOf(":");
    if (at < 1) throw invalid();
    headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return { status, headers };
}

function bodyOf(headers: Headers): Body {
  if (/(?:^|,)\s*chunked\s*$/i.test(headers.get("transfer-encoding") ?? "")) return new Chunks();
  const length = headers.get("content-length");
  if (length === null) return new Length(Number.POSITIVE_INFINITY);
  if (!/^\d{1,15}$/.test(length)) throw invalid();
  return new Length(Number(length));
}

class Length implements Body {
  constructor(private left: number) {}

  get isComplete(): boolean {
    return this.left === 0;
  }

  get endsWithConnection(): boolean {
    return this.left === Number.POSITIVE_INFINITY;
  }

  take(bytes: Buffer): Uint8Array {
    const content = Uint8Array.from(bytes.subarray(0, Math.min(bytes.length, this.left)));
    this.left -= content.length;
    return content;
  }
}

class Chunks implements Body {
  isComplete = false;
  readonly endsWithConnection = false;
  /** A line that is not complete: the size of a chunk, or a trailer. */
  private line = "";
  private reads: "size" | "content" | "end" | "trailer" = "size";
  private left = 0;

  take(bytes: Buffer): Uint8Array {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length && !this.isComplete; ) {
      if (this.reads === "content") {
        const part = bytes.subarray(at, at + this.left);
        parts.push(part);
        at += part.length;
        this.left -= part.length;
        if (this.left === 0) this.reads = "end";
        continue;
      }
      const end = bytes.indexOf(10, at);
      this.line += bytes.toString("latin1", at, end < 0 ? bytes.length : end);
      if (this.line.length > HEAD_BYTES_MAX) throw invalid();
      if (end < 0) break;
      at = end + 1;
      this.ended(this.line.replace(/\r$/, ""));
      this.line = "";
    }
    return Buffer.concat(parts);
  }

  private ended(line: string): void {
    if (this.reads === "trailer") this.isComplete = line === "";
    else if (this.reads === "end") {
      if (line !== "") throw invalid();
      this.reads = "size";
    } else {
      const size = /^([0-9a-f]{1,12})\s*(?:;|$)/i.exec(line)?.[1];
      if (size === undefined) throw invalid();
      this.left = Number.parseInt(size, 16);
      this.reads = this.left === 0 ? "trailer" : "content";
    }
  }
}

function lost(): Error {
  return Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
}

function invalid(): Error {
  return Object.assign(new Error("not an answer over HTTP"), { code: "InvalidHTTPResponse" });
}
