// Adapts gsv's commands to the interpreter, each under its own name and as `gsv NAME`: the code of the command
// line, with the streams of the shell.

import { type Command as BashCommand, type CustomCommand, defineCommand } from "just-bash/browser";
import type { Output } from "../../../commands/command.ts";
import type { Calls, Stage } from "../engine/calls.ts";
import { streamOf } from "../programs/internal-words.ts";
import { Pipe } from "../programs/pipe.ts";
import { Ended } from "../programs/program.ts";
import type { Context } from "./called.ts";
import type { ShellIo } from "./io.ts";
import { programNames } from "./names.ts";

/** Words that belong to gsv only with certain arguments. */
const SHARED: { readonly [word: string]: (args: readonly string[]) => boolean } = {
  kill: (args) => !args.some((arg) => arg.startsWith("%")),
  help: () => true,
};

export interface OwnPrograms {
  readonly names: ReadonlySet<string>;
  readonly of: (calls: Calls) => readonly CustomCommand[];
}

export async function programs(io: ShellIo): Promise<OwnPrograms> {
  const words = [...(await programNames()).map((name) => [name, [name]] as const), ["gsv", []] as const];
  const names = new Set(words.flatMap(([name]) => (SHARED[name] === undefined ? [name] : [])));
  return {
    names,
    of: (calls) => words.map(([name, first]) => program(name, first, { io, calls })),
  };
}

function program(name: string, words: readonly string[], { io, calls }: Run): BashCommand {
  return defineCommand(name, async (all, context) => {
    const { args, call } = streamOf(all);
    const original = context.origCommand;
    if (original !== undefined && SHARED[name]?.(args) === false) return original([...args]);
    return calls.run(call, stageOf(name, [...words, ...args], context, io), context);
  });
}

interface Run {
  readonly io: ShellIo;
  readonly calls: Calls;
}

function stageOf(name: string, args: readonly string[], context: Context, io: ShellIo): Stage {
  const place = { cwd: context.cwd, env: context.exportedEnv ?? {} };
  const given = Buffer.from(context.stdin as unknown as string, "latin1");
  return {
    ...{ name, args },
    stdin: given,
    async run(ends) {
      const stdout = new Printed(ends.out, ends.room, ends.pipe);
      const stderr = new Printed((bytes) => ends.err(Buffer.from(bytes).toString()));
      const { runCommandLine } = await import("../../../commands/run.ts");
      const isRead = ends.pipe !== null;
      const readerGone = ends.pipe?.gone ?? null;
      const hasInput = given.byteLength > 0 || ends.stdin instanceof Pipe;
      const status = await runCommandLine(
        [...args],
        io({ ...place, stdin: ends.stdin, hasInput, isRead, readerGone, stdout, stderr }),
      );
      return stdout.brokenWith ?? status;
    },
  };
}

/** Output of a command; closed when its reader is gone. */
class Printed implements Output {
  /** The exit status after a broken pipe. */
  brokenWith: number | null = null;
  readonly failure = null;
  readonly isTTY = false;
  readonly columns = 80;
  readonly rows = 24;

  constructor(
    private readonly out: (bytes: Uint8Array) => void,
    private readonly room: () => Promise<void> = async () => {},
    private readonly pipe: Pipe | null = null,
  ) {}

  get closed(): boolean {
    return this.brokenWith !== null || this.pipe?.left === true;
  }

  async write(text: string | Uint8Array): Promise<void> {
    if (this.brokenWith !== null) return;
    try {
      this.out(Buffer.from(text as Uint8Array));
      await this.room();
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      this.brokenWith = error.status;
    }
  }
}
