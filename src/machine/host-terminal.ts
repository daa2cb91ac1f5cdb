// Runs bash, or one line of bash, on a pseudo-terminal shown on gsv's terminal. Keys are passed on, so ctrl-c reaches the program. Always
// restores the terminal.

import { isatty, WriteStream } from "node:tty";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { hostDirectory } from "../kernel/workspaces/host-directories.ts";
import type { Clock } from "../lib/clock.ts";
import { hostEnvironment } from "../lib/host-environment.ts";
import type { HomePaths } from "../paths.ts";
import { NO_GUARD } from "../targets/git-guard.ts";
import { hiddenOn, resolver } from "../targets/hidden.ts";
import { BASH } from "../targets/leader.ts";
import { findSandbox, NO_GRANTS, SANDBOX_PATH } from "../targets/sandbox.ts";
import { spawnOnTerminal, succeeds, type TerminalChild } from "../targets/spawn.ts";
import { RESUME, STOPPED_STATUS, StopReports, stoppableLine } from "./stoppable-line.ts";

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
  readonly random: RandomBytes;
}

export interface HostLine {
  readonly status: number;
  /** The end of its output, in raw form. */
  readonly output: string;
  /** null if it has ended. */
  readonly stopped: StoppedLine | null;
}

/** A line that ctrl-z stopped. */
export interface StoppedLine {
  /** Gives it the terminal again. */
  resume(): Promise<HostLine>;
  /** Its programs get HUP. */
  end(): void;
}

/** Runs a line as the person who typed it, with their environment and no sandbox; null without a terminal. */
export async function hostLine({ line, env, cwd, clock, random }: HostLineOptions): Promise<HostLine | null> {
  if (!isatty(0) || !isatty(1)) return null;
  const defined = Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined);
  const screen = new WriteStream(1);
  let kept = Buffer.alloc(0);
  let aside = Promise.withResolvers<null>();
  const secret = uuidv7(clock.now(), random);
  const reports = new StopReports(secret, {
    print(bytes) {
      kept = Buffer.concat([kept, bytes]).subarray(-KEPT_BYTES);
      screen.write(bytes);
    },
    stopped: () => aside.resolve(null),
  });
  const child = spawnOnTerminal({
    argv: stoppableLine(BASH, line, secret),
    directory: cwd,
    env: { ...Object.fromEntries(defined), PWD: cwd },
    ...sizeNow(),
    clock,
    print: (bytes) => reports.read(bytes),
  });
  async function shown(): Promise<HostLine> {
    const status = await withKeys(child, Promise.race([child.ended, aside.promise]), { screen, clock });
    const output = kept.toString();
    if (status !== null) return { status, output, stopped: null };
    aside = Promise.withResolvers();
    return { status: STOPPED_STATUS, output, stopped: { resume, end: () => child.hangUp() } };
  }
  function resume(): Promise<HostLine> {
    const { columns, rows } = sizeNow();
    child.resize(columns, rows);
    const line = shown();
    child.type(Buffer.from(RESUME));
    return line;
  }
  return await shown();
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
    git: NO_GUARD,
  });
  const screen = new WriteStream(1);
  const child = spawnOnTerminal({
    argv: confined ?? SHELL,
    directory: cwd,
    env: { ...plain, ...sandbox?.env },
    ...sizeNow(),
    clock,
    print: (bytes) => screen.write(bytes),
  });
  return await withKeys(child, child.ended, { screen, clock });
}

/** A stream keeps the size that its terminal had when it was created. */
function sizeNow(): { readonly columns: number; readonly rows: number } {
  const { columns, rows } = new WriteStream(1);
  return { columns: columns || 80, rows: rows || 24 };
}

/** The program has keys and signals of gsv's terminal until `over`. */
async function withKeys<Over>(
  child: TerminalChild,
  over: Promise<Over>,
  { screen, clock }: { readonly screen: WriteStream; readonly clock: Clock },
): Promise<Over> {
  // A second stream on the same descriptor would take keys typed after the end.
  const keyboard = process.stdin;
  const resize = () => {
    const { columns, rows } = sizeNow();
    child.resize(columns, rows);
  };
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
    return await over;
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
