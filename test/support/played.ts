// gsv on a terminal, whole and in this process: a kernel played by the test, a clock that stands still, keys as bytes, and the
// screen read through a terminal emulator. It shows the same as the real program; only the host around it is missing.

import { Terminal as Emulator } from "@xterm/headless";
import type { Signal } from "../../src/abi/signal.ts";
import { terminalShell } from "../../tui/app.ts";
import type { Past } from "../../tui/line/history.ts";
import type { AppPorts, Terminal } from "../../tui/ports.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import { OTHER_RUN, PID, RUN } from "./chat.ts";
import { screenOf, scrollbackOf } from "./emulated.ts";
import { FakeIo, FakeOutput } from "./io.ts";
import { processInfo } from "./process-info.ts";

export interface PlayOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly colour?: boolean;
  readonly unicode?: boolean;
  readonly history?: readonly string[];
  /** Called with each line that is saved. */
  readonly keep?: (entry: Past) => void;
  readonly theme?: AppPorts["theme"];
  readonly seen?: AppPorts["seen"];
  readonly setup?: AppPorts["setup"];
  /** The text on the terminal before. */
  readonly before?: readonly string[];
  /** Before the first read from the kernel. */
  readonly prepare?: (io: FakeIo) => void;
}

/** The latest time of a paint after a change, however soon after another it comes. */
const PAINT_MS = 33;
const UNTIL_MS = 3000;

export class Played {
  /** Every write, as the terminal got it. */
  readonly writes: string[] = [];
  readonly emulator: Emulator;
  readonly io = new FakeIo();
  readonly over: Promise<number>;
  private hearing: ((bytes: Uint8Array) => void) | null = null;
  private resizing: () => void = () => {};
  private unread: string[] = [];
  private readonly size: { columns: number; rows: number };
  /** Number of suspends. */
  stops = 0;
  /** There is no shell that would resume it. */
  isAlone = false;
  /** As a signal from outside does. */
  putAside: () => void = () => {};
  /** After it was stopped unasked. */
  goesOn: () => void = () => {};

  private constructor(options: PlayOptions) {
    const { columns = 100, rows = 30 } = options;
    this.size = { columns, rows };
    this.emulator = new Emulator({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
    for (const line of options.before ?? []) this.unread.push(`${line}\r\n`);
    // A terminal answers queries.
    this.emulator.onData((answer) => this.hearing?.(new TextEncoder().encode(answer)));
    answers(this.io);
    options.prepare?.(this.io);
    const output = Object.assign(new Shown((text) => this.write(text)), { columns, rows });
    this.io.terminal(columns);
    const io = Object.create(this.io, { stdout: { value: output }, stderr: { value: output } });
    this.over = terminalShell(io, this.ports(options));
  }

  static async open(options: PlayOptions = {}): Promise<Played> {
    const played = new Played(options);
    // The boxes are there once their renderer is loaded.
    await import("../../tui/draw/draw.tsx");
    await played.until(() => played.hearing !== null);
    await played.settle();
    return played;
  }

  private ports(options: PlayOptions): AppPorts {
    const { colour = true, unicode = true, history = [] } = options;
    return {
      version: "0.1.0",
      terminal: this.terminal(),
      theme: options.theme ?? themeOf({ colour, unicode }),
      hostname: "host",
      abilities: { osc: true, links: false, notifies: "bell", unicode },
      history: {
        past: history.map((text) => ({ text, at: null, cwd: null, status: null })),
        add: options.keep ?? (() => {}),
      },
      ...(options.seen === undefined ? {} : { seen: options.seen }),
      ...(options.setup === undefined ? {} : { setup: options.setup }),
      words: [],
      early: () => [],
    };
  }

  private terminal(): Terminal {
    const { size } = this;
    return {
      get columns() {
        return size.columns;
      },
      get rows() {
        return size.rows;
      },
      write: (text) => this.write(text),
      take: (hear) => {
        this.hearing = hear;
      },
      give: () => {
        this.hearing = null;
      },
      onResize: (listener) => {
        this.resizing = listener;
      },
      suspend: async () => {
        this.stops++;
        return !this.isAlone;
      },
      onAside: (listener) => {
        this.putAside = listener;
      },
      onBack: (listener) => {
        this.goesOn = listener;
      },
      onGone: () => {},
      watch: () => {},
    };
  }

  private write(text: string): void {
    this.writes.push(text);
    this.unread.push(text);
  }

  /** Writes as another program would. */
  print(text: string): void {
    this.write(text);
  }

  async type(keys: string | Uint8Array): Promise<void> {
    this.hearing?.(typeof keys === "string" ? new TextEncoder().encode(keys) : keys);
    await this.settle();
  }

  /** Signals of the kernel, each painted before the next. */
  async play(...signals: readonly Signal[]): Promise<void> {
    for (const signal of signals) {
      this.io.fakeSys.emit(signal);
      await this.settle();
    }
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.read();
    this.emulator.resize(columns, rows);
    Object.assign(this.size, { columns, rows });
    this.resizing();
    await this.settle();
  }

  /** Lets time pass. */
  async settle(ms = PAINT_MS): Promise<void> {
    await this.io.clock.advance(ms);
    await this.read();
  }

  async until(what: RegExp | (() => boolean)): Promise<void> {
    const deadline = performance.now() + UNTIL_MS;
    while (performance.now() < deadline) {
      if (typeof what === "function" ? what() : what.test(this.text())) return;
      await this.settle();
    }
    throw new Error(`never seen: ${what}\n${this.text()}`);
  }

  /** As when the terminal is closed. */
  async end(): Promise<void> {
    this.io.interrupt("HUP");
    await this.settle();
    // A card before the prompt is left by a key.
    await this.type("\x03");
    await this.over;
  }

  async leave(): Promise<number> {
    await this.type("\x03\x04");
    await this.settle();
    return await this.over;
  }

  private async read(): Promise<void> {
    for (const text of this.unread.splice(0)) await new Promise<void>((done) => this.emulator.write(text, done));
  }

  rowsNow(): readonly string[] {
    return screenOf(this.emulator);
  }

  text(): string {
    return this.rowsNow().join("\n").trimEnd();
  }

  /** Scrollback and screen, with wrapped rows joined. */
  everything(): readonly string[] {
    return scrollbackOf(this.emulator).map((line) => line.trimEnd());
  }
}

/** Output of commands, as a terminal in its usual mode shows it. */
class Shown extends FakeOutput {
  override isTTY = true;

  constructor(private readonly show: (text: string) => void) {
    super();
  }

  override async write(written: string | Uint8Array): Promise<void> {
    const text = typeof written === "string" ? written : Buffer.from(written).toString();
    this.show(text.replace(/\r?\n/g, "\r\n"));
  }
}

/** A kernel without any history. */
function answers({ fakeSys }: FakeIo): void {
  fakeSys.answer("system.whoami", () => ({ username: "sam", uid: 1000, home: "/home/sam" }));
  fakeSys.answer("proc.get", ({ pid = PID }: { pid?: string }) => processInfo({ pid }));
  fakeSys.answer("proc.list", () => ({ processes: [processInfo()], next: null }));
  fakeSys.answer("hil.list", () => ({ approvals: [], next: null }));
  fakeSys.answer("proc.history", ({ pid = PID }: { pid?: string }) => {
    return { pid, messages: [], messageCount: 0, inPart: [], hasMoreBefore: false };
  });
  fakeSys.answer("proc.model", () => ({ answers: "offline" }));
  fakeSys.answer("proc.history.policy", () => {
    return { context: { tokens: 46_000, windowTokens: 200_000, compactsAtTokens: 180_000 } };
  });
  // The first message starts a run; later ones have runs of their own.
  let sent = 0;
  fakeSys.answer("proc.send", ({ pid = PID }: { pid?: string }) => {
    return { pid, runId: sent++ === 0 ? RUN : OTHER_RUN, status: "started", queued: sent > 1 };
  });
}
