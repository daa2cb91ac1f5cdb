// gsv at a terminal: paints the prompt first, then loads the rest. Reads line by line on a plain terminal.

import { hostname } from "node:os";
import type { Io } from "../../commands/command.ts";
import type { AttachRequest } from "../../commands/proc/attach.ts";
import type { Terminal } from "../../tui/ports.ts";
import { ENDED_BY } from "../abi/errno.ts";
import type { HomePaths } from "../paths.ts";
import { VERSION } from "../version.ts";

/** Removes the first prompt. */
const AWAY = "\r\x1b[J";
const CTRL_C = 0x03;
/** After this time ctrl-c means exit; before, it clears the line. */
const PATIENCE_MS = 1000;

export interface AtTerminal {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly plain: boolean;
  readonly to: AttachRequest | null;
  /** Attach to the init process, whatever the directory. */
  readonly init: boolean;
}

export async function atTerminal(io: Io, { paths, uid, plain, to, init }: AtTerminal): Promise<number> {
  if (plain) return plainShell(io, paths, uid);
  const [{ abilitiesOf }, { themeOf }] = await Promise.all([
    import("../../tui/screen/abilities.ts"),
    import("../../tui/screen/theme.ts"),
  ]);
  const abilities = abilitiesOf(io.env);
  if (abilities.dumb || io.env.GSV_PLAIN) return plainShell(io, paths, uid);
  const { openTerminal } = await import("./tty.ts");
  const terminal = openTerminal(io.clock, abilities);
  const theme = themeOf(abilities);
  const typed: Uint8Array[] = [];
  const words: string[] = [];
  io.onWord((line) => words.push(line.trimEnd()));
  // The later guard is not there yet, so restore the terminal if gsv ends now.
  const ended = Promise.withResolvers<number>();
  const letGo = io.onSignal((name) => ended.resolve(ENDED_BY[name]));
  const since = io.clock.mono();
  terminal.take((bytes) => {
    typed.push(bytes);
    if (bytes.includes(CTRL_C) && io.clock.mono() - since >= PATIENCE_MS) ended.resolve(ENDED_BY.INT);
  });
  const shell = async () => {
    const remote = await io.remotes.current();
    if (remote !== null) await prepareMemory(paths, uid);
    await io.kernel.start();
    const [{ terminalShell }, { readHistory }, { seenIn, setupIn, skippedIn }] = await Promise.all([
      import("../../tui/app.ts"),
      import("./repl.ts"),
      import("../client/terminal-memory.ts"),
    ]);
    return await terminalShell(io, {
      version: VERSION,
      terminal,
      theme,
      abilities,
      hostname: hostname(),
      history: readHistory(paths.historyFile),
      // Processes of different kernels have the same pids.
      seen: seenIn(remote === null ? paths.seenFile : `${paths.seenFile}-${remote.name}`),
      ...(io.env.GSV_SETUP === "never" || remote !== null ? {} : { setup: setupIn(paths.skippedFile) }),
      ...(init ? {} : { skipped: skippedIn(paths.skippedFile) }),
      early: () => {
        letGo();
        return typed;
      },
      words,
      to,
    });
  };
  try {
    return await Promise.race([shell(), ended.promise.then((status) => cutShort(io, terminal, status))]);
  } catch (error) {
    terminal.give();
    const [{ printError }, { exitStatusOf }] = await Promise.all([
      import("../../commands/io/status.ts"),
      import("../abi/errno.ts"),
    ]);
    await printError(io, error, false);
    return exitStatusOf(error);
  } finally {
    terminal.give();
  }
}

async function cutShort(io: Io, terminal: Terminal, status: number): Promise<number> {
  terminal.write(AWAY);
  terminal.give();
  if (status === ENDED_BY.INT) await io.stderr.write("gsv: interrupted before it had begun\n");
  return status;
}

/** The history of a terminal stays on this computer, also with a remote kernel. */
async function prepareMemory(paths: HomePaths, uid: number): Promise<void> {
  (await import("../paths.ts")).prepareHome(paths, uid);
}

/** For plain terminals. */
async function plainShell(io: Io, paths: HomePaths, uid: number): Promise<number> {
  if ((await io.remotes.current()) !== null) await prepareMemory(paths, uid);
  await io.kernel.start();
  const [{ plainShell }, { replPorts }] = await Promise.all([import("../../tui/plain.ts"), import("./repl.ts")]);
  // Ctrl-c between two lines must not end the shell.
  const ended = Promise.withResolvers<number>();
  const letGo = io.onSignal((name) => {
    if (name !== "INT") ended.resolve(ENDED_BY[name]);
  });
  try {
    return await Promise.race([plainShell(io, replPorts(paths.historyFile, VERSION)), ended.promise]);
  } finally {
    letGo();
    // A line may be half typed, and its reader owns the terminal.
    process.stdin.setRawMode?.(false);
  }
}
