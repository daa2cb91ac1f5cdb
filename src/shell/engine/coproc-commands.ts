// Commands that start a coprocess or name one by descriptor or pid: `read -u FD`, `wait PID`, `kill PID`.

import { killOptions, numberOf, signalNamed } from "../jobs/signal-names.ts";
import { OWN } from "../programs/internal-words.ts";
import { isCoproc } from "../rewrite/coprocs.ts";
import { redirected, withoutInput } from "./coproc-redirections.ts";
import type { Coprocs } from "./coprocs.ts";
import type { Interpreter, Methods, Result } from "./interpreter.ts";
import { streamsOf, within } from "./streams.ts";

type Known = Pick<Coprocs, "endAt" | "isPid" | "childrenOf" | "ended" | "kill">;

export function withCoprocs(sharedOf: (shell: Interpreter) => { readonly coprocs: Coprocs } | null) {
  return ({ executeScript, executeCommand, runCommand }: Methods): Partial<Methods> => ({
    executeScript(script) {
      const run = () => executeScript.call(this, script);
      return sharedOf(this)?.coprocs.within(run) ?? run();
    },
    async executeCommand(command, stdin, isStdinOwned) {
      const coprocs = sharedOf(this)?.coprocs ?? null;
      if (coprocs !== null && isCoproc(command)) return coprocs.start(this, command);
      const other = coprocs?.isUsed === true ? redirected(this, command, { stdin, isStdinOwned, coprocs }) : null;
      return other ?? executeCommand.call(this, command, stdin, isStdinOwned);
    },
    async runCommand(...all) {
      const coprocs = sharedOf(this)?.coprocs ?? null;
      const other = coprocs?.isUsed === true ? commandAt(this, all[0], all[1], coprocs) : null;
      return other ?? runCommand.apply(this, all);
    },
  });
}

/** null if the command is about no coprocess. */
function commandAt(shell: Interpreter, name: string, args: readonly string[], coprocs: Known): Promise<Result> | null {
  if (name === OWN.wait) return waitFor(shell, args, coprocs);
  if (name === "kill") return killAll(args, coprocs);
  return name === "read" || name === "mapfile" || name === "readarray" ? readAt(shell, name, args, coprocs) : null;
}

function readAt(shell: Interpreter, name: string, args: readonly string[], coprocs: Known): Promise<Result> | null {
  const { words, fd } = withoutDescriptor(args, name === "read" ? VALUED.read : VALUED.mapfile);
  const end = fd === null ? undefined : coprocs.endAt(Number(fd));
  if (end === undefined) return null;
  const { input } = end;
  if (input === null)
    return Promise.resolve({
      stdout: "",
      stderr: `bash: ${name}: read error: ${fd}: Bad file descriptor\n`,
      exitCode: 1,
    });
  const { state } = shell.ctx;
  const inside = { ...streamsOf(shell), input };
  return withoutInput(state, () => within(shell, inside, () => shell.runCommand(name, words, [], "")));
}

/** Options with a value of their own. */
const VALUED = { read: "dnNtiap", mapfile: "dnOscC" };

function withoutDescriptor(
  args: readonly string[],
  valued: string,
): { readonly words: readonly string[]; readonly fd: string | null } {
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (!/^-[^-]/.test(word)) return { words: [...words, ...args.slice(at)], fd: null };
    const [, flags = "", letter = "", value = ""] =
      new RegExp(`^-([^u${valued}]*)([u${valued}])(.*)$`, "s").exec(word) ?? [];
    if (letter === "u") {
      const before = flags === "" ? [] : [`-${flags}`];
      const fd = value === "" ? (args[at + 1] ?? "") : value;
      return { words: [...words, ...before, ...args.slice(at + (value === "" ? 2 : 1))], fd };
    }
    words.push(word);
    if (letter !== "" && value === "" && at + 1 < args.length) words.push(args[++at] ?? "");
  }
  return { words, fd: null };
}

function waitFor(
  shell: Interpreter,
  [place = "", ...names]: readonly string[],
  coprocs: Known,
): Promise<Result> | null {
  if (names.length === 0) {
    const pids = coprocs.childrenOf(shell.ctx.state.bashPid);
    return pids.length === 0 ? null : allEnded(shell, [...pids.map(String), ""], { place, coprocs });
  }
  return names.some((name) => coprocs.isPid(name)) ? allEnded(shell, names, { place, coprocs }) : null;
}

/** In order; an empty name is for the jobs. Returns the last status. */
async function allEnded(
  shell: Interpreter,
  names: readonly string[],
  { place, coprocs }: { readonly place: string; readonly coprocs: Known },
): Promise<Result> {
  let all: Result = { stdout: "", stderr: "", exitCode: 0 };
  for (const name of names) {
    const one: Result = coprocs.isPid(name)
      ? { stdout: "", stderr: "", exitCode: await coprocs.ended(shell, Number(name)) }
      : await shell.runCommand(OWN.wait, name === "" ? [place] : [place, name], [], "");
    all = { ...one, stdout: all.stdout + one.stdout, stderr: all.stderr + one.stderr };
  }
  return all;
}

function killAll(args: readonly string[], coprocs: Known): Promise<Result> | null {
  const { signal, targets: pids } = killOptions(args);
  const name = signalNamed(signal);
  if (name === null || pids.length === 0 || !pids.every((pid) => coprocs.isPid(pid))) return null;
  const gone = pids.filter((pid) => !coprocs.kill(Number(pid), numberOf(name)));
  const stderr = gone.map((pid) => `bash: kill: (${pid}) - No such process\n`).join("");
  return Promise.resolve({ stdout: "", stderr, exitCode: gone.length === pids.length ? 1 : 0 });
}
