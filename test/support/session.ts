// gsv as a person has it: the real program in a PTY, its screen read through a terminal emulator. Every wait is for something on the screen,
// with a deadline; the written bytes are kept for claims about them.

import { Terminal as Emulator } from "@xterm/headless";
import { screenOf, scrollbackOf } from "./emulated.ts";

export interface SessionOptions {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** The person's working directory; their home when left out. */
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** Ctrl-c in line mode sends the signal, as in a shell. */
  readonly controlling?: boolean;
}

const UNTIL_MS = 15_000;

export class Session implements AsyncDisposable {
  /** Each piece as one read of a terminal would have it. */
  readonly reads: string[] = [];
  readonly emulator: Emulator;
  readonly process: Bun.Subprocess;
  private readonly terminal: Bun.Terminal;
  private readonly decoder = new TextDecoder();
  private heard = Promise.withResolvers<void>();
  private written: Promise<void> = Promise.resolve();

  constructor({ argv, env, cwd = env.HOME, columns = 100, rows = 30, controlling = false }: SessionOptions) {
    this.emulator = new Emulator({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
    // A terminal answers queries.
    this.emulator.onData((answer) => this.terminal.write(answer));
    const options: Bun.TerminalOptions = {
      cols: columns,
      rows,
      data: (_terminal, bytes) => {
        this.reads.push(this.decoder.decode(bytes, { stream: true }));
        this.written = this.written.then(
          () => new Promise<void>((resolve) => this.emulator.write(bytes.slice(), resolve)),
        );
        void this.written.then(() => this.wake());
      },
    };
    // Only a terminal that is made for the program controls it.
    const terminal = controlling ? options : new Bun.Terminal(options);
    this.process = Bun.spawn([...argv], {
      terminal,
      ...(cwd === undefined ? {} : { cwd }),
      env: { TERM: "xterm-256color", LANG: "C.UTF-8", ...env },
    });
    this.terminal = terminal instanceof Bun.Terminal ? terminal : this.process.terminal!;
    void this.process.exited.then(() => this.wake());
  }

  type(text: string): void {
    this.terminal.write(text);
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.terminal.resize(columns, rows);
  }

  /** The rows of the screen, without trailing blanks. */
  rows(): readonly string[] {
    return screenOf(this.emulator);
  }

  text(): string {
    return this.rows().join("\n").trimEnd();
  }

  /** Scrollback and screen, with wrapped rows joined. */
  everything(): readonly string[] {
    return scrollbackOf(this.emulator);
  }

  /** True if the terminal is in line mode with echo, as in a shell. */
  get takesLines(): boolean {
    const [echo, whole, signals] = [0x8, 0x2, 0x1];
    return (this.terminal.localFlags & (echo | whole | signals)) === (echo | whole | signals);
  }

  /** The modes from `stty -a`. */
  get lineModes(): readonly number[] {
    const { inputFlags, outputFlags, localFlags, controlFlags } = this.terminal;
    return [inputFlags, outputFlags, localFlags, controlFlags];
  }

  cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.emulator.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  async until(what: RegExp | ((text: string) => boolean), ms = UNTIL_MS): Promise<void> {
    const holds = typeof what === "function" ? what : (text: string) => what.test(text);
    const deadline = performance.now() + ms;
    while (!holds(this.text())) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`never seen: ${what}\n${this.text()}`);
      await Promise.race([this.heard.promise, Bun.sleep(Math.min(left, 1000))]);
    }
  }

  /** Waits until something more was written. */
  heardMore(): Promise<void> {
    return this.heard.promise;
  }

  async exited(ms = UNTIL_MS): Promise<number> {
    const late = Bun.sleep(ms).then(() => {
      throw new Error(`still there:\n${this.text()}`);
    });
    const status = await Promise.race([this.process.exited, late]);
    // Its last output may still be on its way.
    await Bun.sleep(1);
    await this.written;
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGKILL");
    await this.process.exited;
    this.terminal.close();
  }

  private wake(): void {
    this.heard.resolve();
    this.heard = Promise.withResolvers<void>();
  }
}
