// What can be called in a shell besides the interpreter's own commands: every gsv command under its own name, and the programs of
// commands/bin. A program is the same code that runs at the command line; here its streams are the shell's.

import { type Command as BashCommand, type CustomCommand, defineCommand } from "just-bash/browser";
import type { Output } from "../command.ts";
import type { ShellIo } from "./io.ts";
import { programNames } from "./names.ts";

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** Words that mean something else to the interpreter where they are not used as gsv's. */
const SHARED: { readonly [word: string]: (args: readonly string[]) => boolean } = {
  kill: (args) => !args.some((arg) => arg.startsWith("%")),
  help: () => true,
};

export async function programs(io: ShellIo): Promise<readonly CustomCommand[]> {
  const names = await programNames();
  return [...names.map((name) => program(name, [name], io)), program("gsv", [], io)];
}

function program(name: string, words: readonly string[], io: ShellIo): BashCommand {
  return defineCommand(name, async (args, context) => {
    const original = context.origCommand;
    if (original !== undefined && SHARED[name]?.(args) === false) return original(args);
    const stdout = new Gathered();
    const stderr = new Gathered();
    const { runCommandLine } = await import("../run.ts");
    const exitCode = await runCommandLine([...words, ...args], io({ ...placeOf(context), stdout, stderr }));
    return { stdout: stdout.latin1, stdoutKind: "bytes", stdoutEncoding: "binary", stderr: stderr.text, exitCode };
  });
}

function placeOf(context: Context) {
  const stdin = Buffer.from(context.stdin as unknown as string, "latin1");
  return { cwd: context.cwd, env: context.exportedEnv ?? {}, stdin, signal: context.signal };
}

/** Output that is handed on when the program has ended. */
class Gathered implements Output {
  private readonly pieces: Buffer[] = [];
  readonly closed = false;
  readonly failure = null;
  readonly isTTY = false;
  readonly columns = 80;
  readonly rows = 24;

  async write(text: string | Uint8Array): Promise<void> {
    this.pieces.push(Buffer.from(text as Uint8Array));
  }

  /** A character for each byte, as the interpreter hands bytes on. */
  get latin1(): string {
    return Buffer.concat(this.pieces).toString("latin1");
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }
}
