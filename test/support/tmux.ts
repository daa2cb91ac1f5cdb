// A tmux server of its own, with one window: keys go in, its screen and scrollback come out.

import { until } from "./home.ts";

const SOCKET = `gsv-${process.pid}`;
let opened = 0;

export class Tmux implements AsyncDisposable {
  private readonly socket = `${SOCKET}-${opened++}`;

  private constructor(private readonly env: { readonly [name: string]: string }) {}

  /** A shell in a window of that size, without an attached client. */
  static open(env: { readonly [name: string]: string }, columns: number, rows: number): Tmux {
    const tmux = new Tmux({ ...env, TERM: "xterm-256color", LANG: "C.UTF-8", PS1: "sh$ " });
    const size = ["-x", String(columns), "-y", String(rows)];
    tmux.run("-f", "/dev/null", "new-session", "-d", ...size, "-s", "main", "/bin/bash --norc --noprofile -i");
    tmux.run("set-option", "-g", "history-limit", "50000");
    tmux.run("set-option", "-g", "window-size", "latest");
    return tmux;
  }

  /** Runs one command of tmux; returns its output. */
  run(...args: readonly string[]): string {
    const done = Bun.spawnSync(["tmux", "-L", this.socket, ...args], { env: this.env });
    if (done.exitCode !== 0) throw new Error(`tmux ${args.join(" ")}: ${done.stderr.toString()}`);
    return done.stdout.toString();
  }

  /** The command that attaches a terminal. */
  attach(): readonly string[] {
    return ["tmux", "-L", this.socket, "attach-session", "-t", "main"];
  }

  type(text: string): void {
    this.run("send-keys", "-t", "main", "-l", text);
  }

  /** By its name: Enter, C-z, Escape. */
  key(...names: readonly string[]): void {
    this.run("send-keys", "-t", "main", ...names);
  }

  resize(columns: number, rows: number): void {
    this.run("resize-window", "-t", "main", "-x", String(columns), "-y", String(rows));
  }

  screen(): string {
    return this.run("capture-pane", "-p", "-t", "main").trimEnd();
  }

  /** Scrollback and screen, with wrapped rows joined. */
  everything(): readonly string[] {
    return this.run("capture-pane", "-p", "-J", "-S", "-", "-t", "main")
      .split("\n")
      .map((line) => line.trimEnd());
  }

  async shows(what: RegExp): Promise<void> {
    await until(String(what), () => what.test(this.screen()), 20_000).catch((error) => {
      throw new Error(`${error.message}\n${this.screen()}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Bun.spawnSync(["tmux", "-L", this.socket, "kill-server"], { env: this.env });
  }
}
