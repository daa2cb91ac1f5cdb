// gsv with a person at a terminal: the prompt first, then what it takes to use it; line by line where the terminal only takes text.

import type { AttachRequest } from "../../commands/attach.ts";
import type { Io } from "../../commands/command.ts";
import type { HomePaths } from "../paths.ts";
import { VERSION } from "../version.ts";

export interface AtTerminal {
  readonly paths: HomePaths;
  readonly plain: boolean;
  readonly to: AttachRequest | null;
}

export async function atTerminal(io: Io, { paths, plain, to }: AtTerminal): Promise<number> {
  if (plain) return plainShell(io, paths.historyFile);
  const [{ abilitiesOf }, { themeOf }] = await Promise.all([
    import("../../tui/abilities.ts"),
    import("../../tui/theme.ts"),
  ]);
  const abilities = abilitiesOf(io.env);
  if (abilities.dumb || io.env.GSV_PLAIN) return plainShell(io, paths.historyFile);
  const { openTerminal } = await import("./tty.ts");
  const terminal = openTerminal(io.clock, abilities);
  const theme = themeOf(abilities);
  const typed: Uint8Array[] = [];
  const words: string[] = [];
  io.onWord((line) => words.push(line.trimEnd()));
  terminal.take((bytes) => typed.push(bytes));
  try {
    await io.kernel.start();
    const [{ terminalShell }, { readHistory }, { seenIn }] = await Promise.all([
      import("../../tui/app.ts"),
      import("./repl.ts"),
      import("./seen.ts"),
    ]);
    return await terminalShell(io, {
      version: VERSION,
      terminal,
      theme,
      abilities,
      history: readHistory(paths.historyFile),
      seen: seenIn(paths.seenFile),
      early: () => typed,
      words,
      to,
    });
  } catch (error) {
    terminal.give();
    const [{ printError }, { exitStatusOf }] = await Promise.all([
      import("../../commands/print.ts"),
      import("../abi/errno.ts"),
    ]);
    await printError(io, error, false);
    return exitStatusOf(error);
  } finally {
    terminal.give();
  }
}

/** Line by line, for terminals that only take text. */
async function plainShell(io: Io, historyFile: string): Promise<number> {
  await io.kernel.start();
  const [{ plainShell }, { replPorts }] = await Promise.all([import("../../tui/plain.ts"), import("./repl.ts")]);
  // Between two lines nobody takes ctrl-c: it must not end the shell.
  const heard = () => {};
  process.on("SIGINT", heard);
  try {
    return await plainShell(io, replPorts(historyFile, VERSION));
  } finally {
    process.off("SIGINT", heard);
  }
}
