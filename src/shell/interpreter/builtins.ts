// Adapts the shell's programs (programs/) to the interpreter: byte streams, and files through the shell.

import { type CustomCommand, defineCommand } from "just-bash/browser";
import { ENDED_BY } from "../../abi/errno.ts";
import { inQuotes } from "../../lib/text/quote.ts";
import { waitAtMost } from "../../lib/wait.ts";
import type { Calls, Ends, Stage } from "../engine/calls.ts";
import { streamOf } from "../programs/internal-words.ts";
import { type Call, Ended, type Files, type Program, phrase, Usage } from "../programs/program.ts";
import { PROGRAMS } from "../programs/table.ts";
import type { Context } from "./called.ts";
import { type GsvFiles, UMASK_SHOWN } from "./files.ts";
import type { Machine } from "./io.ts";

export interface BinOptions {
  readonly files: GsvFiles;
  readonly machine: Machine;
  readonly calls: Calls;
  readonly outputBytesMax: number;
}

export function binPrograms(options: BinOptions): readonly CustomCommand[] {
  return [...PROGRAMS].map(([name, load]) => ({
    name,
    load: async () => {
      const program = await load();
      return defineCommand(name, (all, context) => {
        const { args, call } = streamOf(all);
        return options.calls.run(call, stageOf(program, { name, args, context }, options), context);
      });
    },
  }));
}

interface Called {
  readonly name: string;
  readonly args: readonly string[];
  readonly context: Context;
}

/** A program with its arguments and files; it runs once its neighbours in the pipe are known. */
function stageOf(program: Program, called: Called, options: BinOptions): Stage {
  const { name, args, context } = called;
  const { cwd } = context;
  const env = context.exportedEnv ?? {};
  const stdin = Buffer.from(context.stdin as unknown as string, "latin1");
  const given = { name, args, cwd, env };
  return { name, args, stdin, run: (ends) => ended(program, callOf(given, ends, options)) };
}

function callOf(given: Pick<Call, "name" | "args" | "cwd" | "env">, ends: Ends, options: BinOptions): Call {
  const { files, machine, outputBytesMax } = options;
  const { context, err } = ends;
  const out: Call["out"] = (text) => ends.out(typeof text === "string" ? Buffer.from(text) : Buffer.from(text));
  const call: Call = {
    ...given,
    ...{ umask: files.umask ?? UMASK_SHOWN, signal: context.signal, outputBytesMax },
    stdin: ends.stdin,
    isPiped: ends.pipe !== null,
    files: withDescriptors(files.forPrograms, context),
    nowMs: () => machine.clock.now(),
    random: machine.random,
    path: (text) => files.resolvePath(given.cwd, text),
    out,
    room: ends.room,
    async pause(ms) {
      const { pipe } = ends;
      if (pipe === null) await machine.clock.sleep(ms, context.signal);
      else await waitAtMost(machine.clock, ms, pipe.gone, context.signal);
      if (pipe?.left === true) throw new Ended(ENDED_BY.PIPE);
    },
    err,
    fail: (error, wording) => err(`${wording(phrase(error))}\n`),
    look: { columns: null, colour: false, isoTimes: false },
    row: null,
    async run(argv, stdin, env = given.env) {
      const { status, stdout } = await executed(argv, stdin, env);
      out(stdout);
      return status;
    },
    capture: (argv, stdin) => executed(argv, stdin, given.env),
  };
  // stderr is printed immediately.
  async function executed(argv: readonly string[], stdin: Uint8Array, env: Call["env"]) {
    const [word = "", ...rest] = argv;
    // Variables set in front of a command are also visible to the commands it runs.
    const values = Object.entries(env).filter(([key]) => /^[A-Za-z_]\w*$/.test(key) && !UNSET.has(key));
    const before = values.map(([key, value]) => `${key}=${inQuotes(value)} `).join("");
    const result = await context.exec?.(before + inQuotes(word), {
      ...{ cwd: given.cwd, env: { IFS: " \t\n", ...env }, replaceEnv: true, args: rest },
      ...{ stdin: Buffer.from(stdin).toString("latin1"), stdinKind: "bytes" },
    });
    if (result === undefined) return { status: 127, stdout: Buffer.alloc(0) };
    err(result.stderr);
    const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
    return { status: result.exitCode, stdout: Buffer.from(result.stdout, isBytes ? "latin1" : "utf8") };
  }
  return call;
}

/** Only the interpreter knows the files of `<(…)`. */
function withDescriptors(files: Files, { fs }: Context): Files {
  const isOne = (path: string) => path.startsWith("/dev/fd/");
  return {
    ...files,
    write: (path, bytes) => (isOne(path) ? fs.writeFile(path, bytes) : files.write(path, bytes)),
    append: (path, bytes) => (isOne(path) ? fs.appendFile(path, bytes) : files.append(path, bytes)),
    stat: async (path) => {
      if (!isOne(path)) return files.stat(path);
      await fs.stat(path);
      return { kind: "file", mode: 0o600, uid: 0, gid: 0, size: 0, mtimeMs: 0, place: path };
    },
    read: async (path, offset, bytesMax) => {
      if (!isOne(path)) return files.read(path, offset, bytesMax);
      const bytes = (await fs.readFileBuffer(path)).subarray(offset);
      return { bytes: bytes.subarray(0, bytesMax), eof: bytes.byteLength <= bytesMax };
    },
  };
}

/** Variables of the shell that scripts cannot set. */
const UNSET = new Set(["SHELLOPTS", "BASHOPTS", "PWD", "_"]);

async function ended(program: Program, call: Call): Promise<number> {
  try {
    return await program(call);
  } catch (error) {
    if (error instanceof Ended) return error.status;
    if (!(error instanceof Error)) throw error;
    const status = "status" in error && typeof error.status === "number" ? error.status : 1;
    call.err(error instanceof Usage ? `${error.message}\n` : `${call.name}: ${phrase(error)}\n`);
    return status;
  }
}
