// Runs bash, or one line of bash, on a pseudo-terminal shown on gsv's terminal. Keys are passed on, so ctrl-c reaches the program. Always
// restores the terminal.

import { isatty, WriteStream } from "node:tty";
import { hostDirectory } from "../kernel/workspaces/host-directories.ts";
import type { Clock } from "../lib/clock.ts";
import { hostEnvironment } from "../lib/host-environment.ts";
import type { HomePaths } from "../paths.ts";
import { hiddenOn, resolver } from "../targets/hidden.ts";
import { BASH } from "../targets/leader.ts";
import { findSandbox, NO_GRANTS, SANDBOX_PATH } from "../targets/sandbox.ts";
import { spawnOnTerminal, succeeds } from "../targets/spawn.ts";

export interface HostTerminalOptions {
  readonly paths: HomePaths;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly clock: Clock;
  readonly bare: boolean;
  readonly say: (line: string) => Promise<void>;
}

const NO_SANDBOX = "gsv: this computer has no sandbox: commands here can do everything that you can\n";
const LAST_WORDS_MS = 500;
const SHELL = [BASH, "--noprofile", "--norc", "-i"];
/** Output of a line that is kept for the agent. */
const KEPT_BYTES = 16 * 1024;

export interface HostLineOptions extends Pick<HostTerminalOptions, "env" | "cwd" | "clock"> {
  readonly line: string;
}

export interface HostLine {
  readonly status: number;
  /** The end of its output, in raw form. */
  readonly output: string;
}

/** Runs a line as the person who typed it, with their environment and no sandbox; null without a terminal. */
export async function hostLine({ line, env, cwd, clock }: HostLineOptions): Promise<HostLine | null> {
  if (!isatty(0) || !isatty(1)) return null;
  const defined = Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined);
  let kept = Buffer.alloc(0);
  const keep = (bytes: Uint8Array) => {
    kept = Buffer.concat([kept, bytes]).subarray(-KEPT_BYTES);
  };
  const status = await onTerminal([BASH, "--noprofile", "--norc", "-c", line], {
    env: { ...Object.fromEntries(defined), PWD: cwd },
    cwd,
    clock,
    keep,
  });
  return { status, output: kept.toString() };
}

/** The exit status; null without a terminal. */
export async function hostTerminal(options: HostTerminalOptions): Promise<number | null> {
  const { paths, env: given, cwd, clock, bare, say } = options;
  if (!isatty(0) || !isatty(1)) return null;
  const directory = hostDirectory(cwd, paths.home);
  const plain = { ...hostEnvironment(given), PWD: cwd };
  const find = (name: string) => Bun.which(name, { PATH: SANDBOX_PATH });
  const works = (argv: readonly string[]) => succeeds(argv, plain);
  const sandbox = bare ? null : await findSandbox({ platform: process.platform, find, works });
  if (sandbox === null && !bare) await say(NO_SANDBOX);
  const confined = sandbox?.wrap(SHELL, {
    directory,
    network: true,
    terminal: true,
    tmp: given.TMPDIR ?? "/tmp",
    hidden: hiddenOn({ home: paths.home, env: given, uid: process.getuid?.() ?? 0 }),
    resolver: resolver(),
    granted: NO_GRANTS,
  });
  return await onTerminal(confined ?? SHELL, { env: { ...plain, ...sandbox?.env }, cwd, clock });
}

async function onTerminal(
  argv: readonly string[],
  {
    env,
    cwd,
    clock,
    keep,
  }: {
    readonly env: { readonly [name: string]: string };
    readonly cwd: string;
    readonly clock: Clock;
    readonly keep?: (bytes: Uint8Array) => void;
  },
): Promise<number> {
  // A second stream on the same descriptor would take keys typed after the end.
  const keyboard = process.stdin;
  const screen = new WriteStream(1);
  // A stream keeps the size that its terminal had when it was created.
  const size = () => {
    const { columns, rows } = new WriteStream(1);
    return { columns: columns || 80, rows: rows || 24 };
  };
  const child = spawnOnTerminal({
    argv,
    directory: cwd,
    env,
    ...size(),
    clock,
    print: (bytes) => {
      keep?.(bytes);
      screen.write(bytes);
    },
  });
  const resize = () => child.resize(size().columns, size().rows);
  const leave = () => child.hangUp();
  process.on("SIGWINCH", resize);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, leave);
  // A stopped gsv leaves the terminal in line mode to its shell.
  const aside = () => {
    keyboard.setRawMode(false);
    process.kill(process.pid, "SIGSTOP");
  };
  const back = () => void keyboard.setRawMode(true);
  process.on("SIGTSTP", aside);
  process.on("SIGCONT", back);
  keyboard.setRawMode(true);
  const type = (keys: Buffer) => child.type(keys);
  keyboard.on("data", type);
  keyboard.resume();
  // The errors of a closed terminal.
  for (const event of ["end", "error", "close"]) keyboard.on(event, leave);
  try {
    return await child.ended;
  } finally {
    keyboard.off("data", type);
    process.off("SIGTSTP", aside);
    process.off("SIGCONT", back);
    for (const event of ["end", "error", "close"]) keyboard.off(event, leave);
    try {
      keyboard.setRawMode(false);
    } catch {} // the terminal is gone
    keyboard.pause();
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, leave);
    process.off("SIGWINCH", resize);
    // Show the last output, unless the terminal is gone.
    const seen = new Promise<void>((resolve) => screen.write("", () => resolve()));
    await Promise.race([seen, clock.sleep(LAST_WORDS_MS)]);
  }
}
