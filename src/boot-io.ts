// The streams of this process as commands use them. Writing waits until the system took the text; a reader that has gone is reported,
// never thrown. Nothing is opened before it is used.

import { fstatSync } from "node:fs";
import type { Input, Interruption, Output } from "../commands/command.ts";

export interface HostStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly columns: string | undefined;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

const COLUMNS_FALLBACK = 80;

export function outputOf(stream: NodeJS.WriteStream, columns: string | undefined): Output {
  let closed = false;
  stream.on("error", () => {
    closed = true;
  });
  return {
    get closed() {
      return closed;
    },
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns ?? (Number(columns) > 0 ? Number(columns) : COLUMNS_FALLBACK);
    },
    write(text) {
      if (closed || text === "") return Promise.resolve();
      return new Promise((resolve) => {
        stream.write(text, (error) => {
          if (error) closed = true;
          resolve();
        });
      });
    },
  };
}

export function inputOf(isTTY: boolean): Input {
  return {
    isTTY,
    get kind() {
      return isTTY ? "tty" : kindOf(0);
    },
    bytes: () => Bun.stdin.stream() as unknown as AsyncIterable<Uint8Array>,
  };
}

function kindOf(descriptor: number): Input["kind"] {
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFIFO()) return "pipe";
    if (stat.isSocket()) return "socket";
    return stat.isFile() ? "file" : "none";
  } catch {
    return "none";
  }
}

const SIGNALS: { readonly [S in Interruption]: NodeJS.Signals } = { INT: "SIGINT", TERM: "SIGTERM", HUP: "SIGHUP" };

/** Takes the signals over from their default action until the returned function is called. */
export function takeSignals(host: Pick<HostStreams, "on" | "off">, listener: (name: Interruption) => void): () => void {
  const taken = Object.entries(SIGNALS).map(([name, signal]) => {
    const hear = () => listener(name as Interruption);
    host.on(signal, hear);
    return () => host.off(signal, hear);
  });
  return () => {
    for (const give of taken) give();
  };
}
