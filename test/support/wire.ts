// Both ends of the socket for one test each: a kernel behind a fake door, clients that speak frames and peers that speak bytes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { dial, type Link } from "../../src/rpc/client.ts";
import { type ServeOptions, serve } from "../../src/rpc/server.ts";
import { classOf, FakeDoor, info, until } from "./door.ts";

const cleanups: (() => unknown)[] = [];
/** For `afterEach` of every file that uses these: a hook of an imported file only applies to its first importer. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** A kernel of its own for one test, closed after it. */
export async function kernel(patch: Partial<ServeOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "gsv-rpc-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const socketPath = join(directory, "kernel.sock");
  const door = new FakeDoor();
  const faults: unknown[] = [];
  const server = await serve({
    socketPath,
    door,
    clock: realClock,
    pid: 77,
    exe: "/opt/gsv",
    classOf,
    onFault: (_call, error) => faults.push(error),
    closeMs: 500,
    ...patch,
  });
  cleanups.push(() => server.close());
  return { socketPath, door, server, faults };
}

export async function client(socketPath: string, patch = {}): Promise<Link> {
  const link = await dial({ socketPath, info: info(patch), clock: realClock, helloMs: 2000 });
  cleanups.push(() => link.close());
  return link;
}

/** A peer that speaks bytes, not frames. */
export async function raw(socketPath: string) {
  let received = "";
  let closed = false;
  const socket = await Bun.connect({
    unix: socketPath,
    socket: {
      data: (_socket, chunk) => {
        received += chunk.toString();
      },
      close: () => {
        closed = true;
      },
    },
  });
  cleanups.push(() => socket.terminate());
  async function hello(): Promise<void> {
    socket.write(helloLine);
    await until("hello is answered", () => received.includes("helloOk"));
  }
  return { socket, hello, received: () => received, closed: () => closed };
}

export const helloLine = `${JSON.stringify({ kind: "hello", ...info() })}\n`;
