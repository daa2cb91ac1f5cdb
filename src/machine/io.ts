// The standard streams for commands, directly on the descriptors: the stream objects of node take several milliseconds to create. A write
// waits until the system has the text. A closed pipe and a full disk are returned, never thrown.

import { fstatSync, readFileSync, write, writeSync } from "node:fs";
import type { Input, Interruption, Io, Output } from "../../commands/command.ts";
import { SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";

const UTF8 = new TextEncoder();
const COLUMNS_FALLBACK = 80;
const ROWS_FALLBACK = 24;
/** Retry interval for a full non-blocking pipe. */
const FULL_RETRY_MS = 2;

/**
 * Writes a first text up to this length synchronously, and a longer one too if ctrl-c just ends the process: writer threads
 * take longer to start than most answers. Everything else goes to the writer threads, so that a slow reader does not block ctrl-c.
 */
const AT_ONCE_BYTES_MAX = 4096;

/** Memory devices, /dev/null among them, have this major number on Linux. */
const MAJOR_MEMORY = 1;

/** A deleted directory keeps its name, so commands that need no directory still work. */
export function currentDirectory(pwd: string | undefined): string {
  try {
    return process.cwd();
  } catch {
    return pwd?.startsWith("/") ? pwd : "/";
  }
}

export function outputOf(descriptor: number, clock: Clock, columns: string | undefined): Output {
  const serial = new Serial();
  const terminal = terminalOn(descriptor);
  let closed = false;
  let failure: SysError | null = null;
  let isFirst = true;

  async function writeAll(bytes: Uint8Array): Promise<void> {
    const isShort = bytes.length <= AT_ONCE_BYTES_MAX;
    const atOnce = isFirst && (isShort || (terminal === null && process.listenerCount("SIGINT") === 0));
    isFirst = false;
    for (let from = 0; from < bytes.length && !closed; ) {
      const wrote = atOnce ? writeNow(descriptor, bytes, from) : await writeSome(descriptor, bytes, from);
      if (typeof wrote === "number") from += wrote;
      else if (wrote === "EAGAIN") await clock.sleep(FULL_RETRY_MS);
      else {
        closed = true;
        if (wrote !== "EPIPE") failure = notWritten(wrote);
      }
    }
  }

  return {
    get closed() {
      return closed;
    },
    get failure() {
      return failure;
    },
    isTTY: terminal !== null,
    get columns() {
      const width = terminal?.columns() ?? Number(columns);
      return width > 0 ? width : COLUMNS_FALLBACK;
    },
    get rows() {
      return terminal?.rows() || ROWS_FALLBACK;
    },
    write: (text) =>
      closed || text.length === 0
        ? Promise.resolve()
        : serial.run(() => writeAll(typeof text === "string" ? UTF8.encode(text) : text)),
  };
}

function notWritten(code: string): SysError {
  // Not the status of a full disk, which means that nothing was saved.
  const why = code === "ENOSPC" || code === "EDQUOT" ? ": the disk is full" : ` (${code})`;
  return new SysError("EIO", `cannot write the output${why}`);
}

function writeNow(descriptor: number, bytes: Uint8Array, from: number): number | string {
  try {
    return writeSync(descriptor, bytes, from);
  } catch (error) {
    return (error as { code?: string }).code ?? "EIO";
  }
}

function writeSome(descriptor: number, bytes: Uint8Array, from: number): Promise<number | string> {
  return new Promise((resolve) => {
    write(descriptor, bytes, from, bytes.length - from, null, (error, wrote) =>
      resolve(error ? (error.code ?? "EIO") : wrote),
    );
  });
}

interface Terminal {
  readonly columns: () => number;
  readonly rows: () => number;
}

/** The same call as in node:tty, which takes longer to load than a whole command. */
interface TtyWrap {
  isTTY(descriptor: number): boolean;
  readonly TTY: new (descriptor: number) => { getWindowSize(columnsAndRows: number[]): unknown };
}

function terminalOn(descriptor: number): Terminal | null {
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isCharacterDevice() || (process.platform === "linux" && stat.rdev >> 8 === MAJOR_MEMORY)) return null;
  } catch {
    return null;
  }
  const { isTTY, TTY } = (process as unknown as { binding(name: "tty_wrap"): TtyWrap }).binding("tty_wrap");
  if (!isTTY(descriptor)) return null;
  const terminal = new TTY(descriptor);
  const size = (): readonly number[] => {
    const columnsAndRows = [0, 0];
    terminal.getWindowSize(columnsAndRows);
    return columnsAndRows;
  };
  return { columns: () => size()[0] ?? 0, rows: () => size()[1] ?? 0 };
}

export function standardInput(): Input {
  const isTTY = terminalOn(0) !== null;
  return {
    isTTY,
    get kind() {
      return isTTY ? "tty" : kindOf(0);
    },
    bytes: () => Bun.stdin.stream() as unknown as AsyncIterable<Uint8Array>,
  };
}

/** A background job that reads its terminal would be stopped. Assumes the foreground if the system does not tell. */
export function isInForeground(): boolean {
  try {
    // After the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const [, , group, , , inFront] = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    // Without a controlling terminal there is no foreground group.
    return inFront === "-1" || group === inFront;
  } catch {
    return true;
  }
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

export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** Replaces the default action of the signals until the returned function is called. */
function takeSignals(source: SignalSource, listener: (name: Interruption) => void): () => void {
  const taken = Object.entries(SIGNALS).map(([name, signal]) => {
    const hear = () => listener(name as Interruption);
    source.on(signal, hear);
    return () => source.off(signal, hear);
  });
  return () => {
    for (const give of taken) give();
  };
}

/** After `over` no signal changes the exit status of the command. */
export function signalsOf(source: SignalSource) {
  let hasListened = false;
  const onSignal: Io["onSignal"] = (listener) => {
    hasListened = true;
    return takeSignals(source, listener);
  };
  const over = (status: number) => {
    if (hasListened) onSignal(() => {});
    return status;
  };
  return { onSignal, over };
}
