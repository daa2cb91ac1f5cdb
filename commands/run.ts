// From argv to exit status: finds the command, runs it, and prints errors in one line with hints. An unknown command is refused with similar
// names: a guess never runs, and text never becomes a message.

import { ENDED_BY, exitStatusOf, SysError } from "../src/abi/errno.ts";
import { asks, flagsOf, looksLikeFlag, type Spec } from "./args.ts";
import type { Io } from "./command.ts";
import { type Bounds, isGlobal, passedOnFrom, type TakenGlobals, takeGlobals } from "./global-flags.ts";
import { printError } from "./io/status.ts";
import { lookUp, type Named } from "./lookup.ts";
import { COMMANDS } from "./table.ts";

export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const status = await attempt(argv, io);
  const { closed, failure } = io.stdout;
  if (failure === null) return closed ? ENDED_BY.PIPE : status;
  await printError(io, failure, asks(argv, "--json"));
  return exitStatusOf(failure);
}

async function attempt(all: readonly string[], io: Io): Promise<number> {
  let line: Line | null = null;
  try {
    line = await read(all);
    const { taken, named } = line;
    const run = (with_: Io) =>
      named === null ? withoutCommand(taken.rest, with_) : named.command.run(named.args, with_);
    if (taken.globals.size === 0) return await run(io);
    return await (await import("./global-io.ts")).runWith(taken.globals, io, run);
  } catch (error) {
    await printError(io, await worded(error, line, io), asks(all, "--json"));
    return exitStatusOf(error);
  }
}

/** Suggestions read with the rights of the home's human, so not for other accounts. */
async function worded(error: unknown, line: Line | null, io: Io): Promise<unknown> {
  if (!(error instanceof SysError) || !line?.named || line.taken.globals.has("--user")) return error;
  return await (await import("./did-you-mean.ts")).withNearest(error, line.named, io, COMMANDS);
}

/** Flags before the command become its arguments. null if there is no command. */
async function namedIn(argv: readonly string[]): Promise<Named | null> {
  const at = argv.findIndex((token) => !looksLikeFlag(token) || token === "--");
  const before = at === -1 ? argv : argv.slice(0, at);
  refuseTerminalFlags(before, at === -1);
  refuseStrangers(before);
  if (at === -1 || argv[at] === "--") return null;
  const { command, args } = await lookUp(COMMANDS, argv.slice(at));
  return { command, args: [...before, ...args] };
}

interface Line {
  readonly taken: TakenGlobals;
  readonly named: Named | null;
}

/** Two passes: the command must be known first, because it may have flags of the same names or pass words to another program. */
async function read(all: readonly string[]): Promise<Line> {
  if (all[0] === "__complete") return { taken: { rest: all, globals: new Map() }, named: await namedIn(all) };
  const glance = takeGlobals(all, { refuses: false });
  const named = await namedIn(glance.rest);
  if (glance.globals.size === 0) return { taken: glance, named };
  const strict = takeGlobals(all, named === null ? {} : boundsFor(named.command.spec, all));
  const taken = named?.command.spec.passesOn ? strict : withJson(strict, named);
  return { taken, named: await namedIn(taken.rest) };
}

function boundsFor({ name, input, passesOn }: Spec, all: readonly string[]): Bounds {
  const own = flagsOf(input);
  const keep = [...own.keys()].filter(isGlobal);
  return passesOn ? { keep, end: passedOnFrom(all, all.indexOf(name) + 1, own) } : { keep };
}

/** --jq implies JSON: the single result object if the command has one, unless --output is given. */
function withJson(taken: TakenGlobals, named: Named | null): TakenGlobals {
  const { globals, rest } = taken;
  if (!globals.has("--jq") || asks(rest, "--json")) return taken;
  const { name = "", input } = named?.command.spec ?? {};
  const hasForm = rest.some((token) => /^--output(?:=|$)/.test(token));
  if (hasForm || !input?.output?.choices?.includes("json")) return { ...taken, rest: ["--json", ...rest] };
  const at = rest.indexOf(name) + 1;
  return { ...taken, rest: [...rest.slice(0, at), "--output=json", ...rest.slice(at)] };
}

const ONCE = 'for one answer: gsv chat "…"';
const ON = 'gsv resumes where you left; gsv chat -c "…" continues the newest task';
const MODEL = 'gsv chat --model MODEL "…"; as default: gsv config set ai.model MODEL';
/** Flags of other programs, and their equivalents. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ...["-p", "--print", "--prompt", "--message"].map((flag) => [flag, ONCE] as const),
  ...["-c", "--continue", "-r", "--resume"].map((flag) => [flag, ON] as const),
  ...["-m", "--model"].map((flag) => [flag, MODEL] as const),
  ["-v", "gsv --version prints the version"],
]);

/** `--init` and `--plain` start gsv's terminal, which never gets here. */
function refuseTerminalFlags(before: readonly string[], isAlone: boolean): void {
  const flag = before.find((token) => token === "--init" || token === "--plain");
  if (flag === undefined) return;
  const isUsedRight = isAlone && before.every((token) => token === "--init" || token === "--plain");
  if (!isUsedRight) throw new SysError("EUSAGE", `${flag} takes no command and no other flags: gsv ${flag}`);
  throw new SysError("EUSAGE", `gsv ${flag} needs a terminal on stdin and stdout`, [
    'without one: gsv chat "…" for one answer, gsv sh FILE for a script',
  ]);
}

function refuseStrangers(before: readonly string[]): void {
  const stranger = before.find((token) => !["--json", "--help", "-h"].includes(token));
  if (stranger === undefined) return;
  const meant = ELSEWHERE.get(stranger.replace(/=.*/s, ""));
  throw new SysError("EUSAGE", `${stranger.slice(0, 60)} must come after the command`, [
    ...(meant === undefined ? [] : [meant]),
    "flags of a command follow it: gsv COMMAND --flag",
    "usage: gsv [--json] [--user NAME] [--set KEY=VALUE] COMMAND …; gsv help topics lists the global flags",
  ]);
}

async function withoutCommand(argv: readonly string[], io: Io): Promise<number> {
  const before = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  // `gsv < script`
  if (before.length === 0 && ["pipe", "file", "socket"].includes(io.stdin.kind))
    return (await lookUp(COMMANDS, ["sh"])).command.run([], io);
  const { bare, help } = await import("./man/help.ts");
  return asks(before, "--help", "-h") ? help(COMMANDS).run([], io) : bare(io);
}
