// A line through which connections to a port of loopback run, and which a test cuts, blocks or delays.

import { connect, createServer, type Server, type Socket } from "node:net";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Carries nothing, and says nothing. */
  blocked: boolean;
}

export class CuttableLine {
  private readonly pairs = new Set<Pair>();
  private readonly listener: Server;
  delayMs = 0;
  /** Connections so far. */
  carried = 0;
  /** Where it leads. */
  port = 0;

  private constructor() {
    this.listener = createServer((client) => this.carry(client));
  }

  static async lay(): Promise<CuttableLine> {
    const line = new CuttableLine();
    await new Promise<void>((resolve) => line.listener.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get host(): string {
    const address = this.listener.address();
    return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  /** Ends one connection, or all, as a router that is switched off and says so. */
  cut(nth?: number): void {
    for (const pair of this.some(nth)) this.end(pair);
  }

  /** From now on these connections carry nothing, without an error at either end. */
  block(nth?: number): void {
    for (const pair of this.some(nth)) pair.blocked = true;
  }

  close(): void {
    this.cut();
    this.listener.close();
  }

  private some(nth: number | undefined): readonly Pair[] {
    const all = [...this.pairs];
    return nth === undefined ? all : all.slice(nth % Math.max(1, all.length), (nth % Math.max(1, all.length)) + 1);
  }

  private carry(client: Socket): void {
    this.carried++;
    const server = connect(this.port, "127.0.0.1");
    const pair = { client, server, blocked: false };
    this.pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on("data", (bytes) => {
        if (pair.blocked) return;
        if (this.delayMs === 0) to.write(bytes);
        else setTimeout(() => pair.blocked || to.write(bytes), this.delayMs);
      });
      // The end of one side reaches the other, unless the line is blocked.
      from.on("close", () => pair.blocked || this.end(pair));
      from.on("error", () => {});
    };
    pass(client, server);
    pass(server, client);
  }

  private end(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
