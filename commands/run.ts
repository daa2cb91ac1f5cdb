// From argv to exit status: finds the one command that was named, runs it, and says what went wrong in one line with hints.
// A word that is no command is refused with the nearest names; a guess never runs, and no text ever becomes chat by itself.

import { exitStatusOf, SysError } from "../src/abi/errno.ts";
import { asks, looksLikeFlag } from "./args.ts";
import type { Io } from "./command.ts";
import { lookUp } from "./lookup.ts";
import { printError } from "./print.ts";
import { actAs } from "./sign-in.ts";

const PIPE_STATUS = 141;

/** `argv` is what follows `gsv`. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const status = await attempt(argv, io);
  const { closed, failure } = io.stdout;
  if (failure === null) return closed ? PIPE_STATUS : status;
  await printError(io, failure, asks(argv, "--json"));
  return exitStatusOf(failure);
}

async function attempt(all: readonly string[], io: Io): Promise<number> {
  try {
    const argv = await withoutGlobals(all, io);
    const at = argv.findIndex((token) => !looksLikeFlag(token) || token === "--");
    const before = at === -1 ? argv : argv.slice(0, at);
    refuseStrangers(before);
    const word = at === -1 ? undefined : argv[at];
    if (word === undefined || word === "--") return await withoutCommand(before, io);
    const { command, args } = await lookUp(argv.slice(at));
    return await command.run([...before, ...args], io);
  } catch (error) {
    await printError(io, error, asks(all, "--json"));
    return exitStatusOf(error);
  }
}

/** The flags that any command takes; the words that completion is about are those of another command line. */
async function withoutGlobals(argv: readonly string[], io: Io): Promise<readonly string[]> {
  if (argv[0] === "__complete") return argv;
  const setsSome = argv.some((token) => token === "--set" || token.startsWith("--set="));
  return actAs(setsSome ? await (await import("./set-flag.ts")).withSettings(argv, io) : argv, io);
}

function refuseStrangers(before: readonly string[]): void {
  const stranger = before.find((token) => !["--json", "--help", "-h", "--no-pager"].includes(token));
  if (stranger === undefined) return;
  throw new SysError("EUSAGE", `${stranger.slice(0, 60)} stands before the command`, [
    "flags of a command go after it: gsv COMMAND --flag",
    "usage: gsv [--json] [--user NAME] [--set KEY=VALUE] COMMAND …",
  ]);
}

async function withoutCommand(before: readonly string[], io: Io): Promise<number> {
  // `gsv < script`
  if (before.length === 0 && ["pipe", "file", "socket"].includes(io.stdin.kind))
    return (await lookUp(["sh"])).command.run([], io);
  const { bare, help } = await import("./help.ts");
  return asks(before, "--help", "-h")
    ? help.run(
        before.filter((token) => token === "--no-pager"),
        io,
      )
    : bare(io);
}
