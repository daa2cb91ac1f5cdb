// The programs of commands/bin as the interpreter calls them: their streams in bytes, their files through the shell's.

import { type Command, type CustomCommand, defineCommand } from "just-bash/browser";
import { type Call, Ended, type Files, type Program, phrase, Usage } from "../bin/program.ts";
import { readerOf } from "../bin/reader.ts";
import { PROGRAMS } from "../bin/table.ts";
import { type GsvFiles, UMASK_SHOWN } from "./files.ts";
import type { Machine } from "./io.ts";

type Context = Parameters<Command["execute"]>[1];

export interface BinOptions {
  readonly files: GsvFiles;
  readonly machine: Machine;
  readonly outputBytesMax: number;
}

export function binPrograms(options: BinOptions): readonly CustomCommand[] {
  return [...PROGRAMS].map(([name, load]) => ({
    name,
    load: async () => {
      const program = await load();
      return defineCommand(name, (args, context) => carriedOut(program, { name, args, context }, options));
    },
  }));
}

interface Called {
  readonly name: string;
  readonly args: readonly string[];
  readonly context: Context;
}

async function carriedOut(program: Program, called: Called, { files, machine, outputBytesMax }: BinOptions) {
  const { name, context } = called;
  const { args, head } = readerOf(called.args);
  const isEnough = head === null ? () => false : await enough(head);
  const stdout: Buffer[] = [];
  let [size, stderr] = [0, ""];
  const add = (bytes: Buffer) => {
    size += bytes.byteLength;
    stdout.push(bytes);
    if (isEnough(bytes)) throw new Ended(EXIT_PIPE);
    // The interpreter ends the script over so much; what is more is not made.
    if (size > outputBytesMax) throw new Ended(EXIT_TOO_MUCH);
  };
  const call: Call = {
    ...{
      name,
      args,
      cwd: context.cwd,
      env: context.exportedEnv ?? {},
      umask: files.umask ?? UMASK_SHOWN,
      signal: context.signal,
      outputBytesMax,
    },
    stdin: Buffer.from(context.stdin as unknown as string, "latin1"),
    files: withDescriptors(files.forPrograms, context),
    nowMs: () => machine.clock.now(),
    random: machine.random,
    path: (text) => files.resolvePath(context.cwd, text),
    out: (text) => add(typeof text === "string" ? Buffer.from(text) : Buffer.from(text)),
    err: (text) => {
      stderr += text;
    },
    async run(argv, stdin, env = call.env) {
      const { status, stdout: printed } = await executed(argv, stdin, env);
      add(printed);
      return status;
    },
    capture: (argv, stdin) => executed(argv, stdin, call.env),
  };
  // What it says of itself is said at once.
  async function executed(argv: readonly string[], stdin: Uint8Array, env: Call["env"]) {
    const [word = "", ...rest] = argv;
    // Only what stands before a command is seen by the commands that it runs in its turn.
    const values = Object.entries(env).filter(([key]) => /^[A-Za-z_]\w*$/.test(key) && !UNSET.has(key));
    const before = values.map(([key, value]) => `${key}=${quoted(value)} `).join("");
    const result = await context.exec?.(before + quoted(word), {
      ...{ cwd: context.cwd, env: { IFS: " \t\n", ...env }, replaceEnv: true, args: rest },
      ...{ stdin: Buffer.from(stdin).toString("latin1"), stdinKind: "bytes" },
    });
    if (result === undefined) return { status: 127, stdout: Buffer.alloc(0) };
    stderr += result.stderr;
    const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
    return { status: result.exitCode, stdout: Buffer.from(result.stdout, isBytes ? "latin1" : "utf8") };
  }
  const exitCode = await ended(program, call);
  const bytes = Buffer.concat(stdout).toString("latin1");
  return { stdout: bytes, stdoutKind: "bytes" as const, stdoutEncoding: "binary" as const, stderr, exitCode };
}

/** Whether the `head` behind a program has all it wants, and a pipe would be full besides: before that no program hears of it. */
async function enough(words: readonly string[]): Promise<(piece: Buffer) => boolean> {
  const share = (await import("../bin/head.ts")).shareOf(words);
  if (share === null) return () => false;
  let [bytes, lines] = [0, 0];
  return (piece) => {
    bytes += piece.byteLength;
    if (share.unit === "bytes") return bytes > Math.max(PIPE_BYTES, share.count);
    for (let at = piece.indexOf(10); at !== -1 && lines < share.count; at = piece.indexOf(10, at + 1)) lines++;
    return bytes > PIPE_BYTES && lines >= share.count;
  };
}

/** What `<(…)` stands for is known to the interpreter alone. */
function withDescriptors(files: Files, { fs }: Context): Files {
  const isOne = (path: string) => path.startsWith("/dev/fd/");
  return {
    ...files,
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

const EXIT_TOO_MUCH = 153;
const EXIT_PIPE = 141;
/** What a pipe of Linux holds. */
const PIPE_BYTES = 64 * 1024;
/** The shell's own, which nobody may set. */
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

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
