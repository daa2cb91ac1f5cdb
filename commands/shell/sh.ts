// `gsv sh -c SCRIPT`, `gsv sh FILE` and `gsv sh < script`: bash over gsv's files. stdout has only the output of the script, and the exit
// status is the script's.

import { resolve } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY, exitStatusOfCode, SysError } from "../../src/abi/errno.ts";
import { uuidv7 } from "../../src/abi/ids.ts";
import { inQuotes } from "../../src/lib/text/quote.ts";
import { field } from "../../src/syscalls/define.ts";
import type { ShellAnswer, ShellOutput, ShellRequest } from "../../src/syscalls/run/shell-service.ts";
import { type Spec, timeoutMs, usageError } from "../args.ts";
import type { Command, Interruption, Io } from "../command.ts";
import { showHelp } from "../define.ts";
import { statOrNull } from "../files/entries.ts";
import { ForeignOutput } from "../io/foreign-output.ts";
import { wholeHostFile } from "../io/host-files.ts";
import { note } from "../io/status.ts";

/** After this time, a note says what gsv waits for. */
const WORD_AFTER_MS = 1000;
const FOLLOW_AFTER_MS = 150;
const SIGNAL_AGAIN_MS = 50;
const FOLLOW_WAIT_MS = 20_000;

const spec: Spec = {
  name: "sh",
  summary: "Run a shell script",
  usage: "gsv sh [--host [--no-sandbox]] [--timeout SECONDS] [-c SCRIPT [NAME [ARG...]] | FILE [ARG...]]",
  passesOn: true,
  input: {
    script: field.optional(field.text("script text", { letter: "c", meta: "SCRIPT" })),
    host: field.flag("in bash on this computer, in the current directory"),
    noSandbox: field.flag("with --host: without the sandbox"),
    timeout: field.optional(field.text("seconds until the script is ended", { meta: "SECONDS" })),
    words: field.optional(field.words("script file and its arguments", { positional: true, meta: "FILE" })),
  },
  examples: [
    "gsv sh -c 'ls /proc | wc -l'",
    "gsv sh '~/report.sh' today",
    "gsv sh < setup.sh",
    "gsv sh --host -c 'npm test'",
  ],
  notes: [
    [
      "FILE is a file inside gsv or, if gsv has no such file, of this computer. Scripts see the files inside gsv,",
      'not those of this computer, and can call gsv commands without "gsv":',
      "gsv sh -c 'ps | grep init'. There is no time limit unless you set --timeout (exit status 124).",
    ].join("\n"),
    [
      "With --host, bash runs on this computer, in a sandbox if there is one: it can write the current directory, read the rest,",
      "and cannot see gsv's home. It continues when the terminal closes. Without a script, a terminal gets a shell.",
      "With a remote kernel, it runs on that computer, in the home directory of its owner.",
    ].join("\n"),
  ],
};

export const sh: Command = {
  spec,
  async run(args, io) {
    const asked = parse(args);
    if (asked === "help") return showHelp(io, spec);
    if (asked.host) return await onHost(io, asked);
    return (await runShell(io, await requestFor(io, asked))).exit;
  },
};

interface ShArguments {
  readonly script: string | null;
  readonly words: readonly string[];
  readonly timeout: number | null;
  readonly host: boolean;
  readonly bare: boolean;
}

async function onHost(io: Io, asked: ShArguments): Promise<number> {
  const { runOnHost } = await import("./host-shell.ts");
  const { script, words, timeout, bare } = asked;
  const limit = { ...(timeout === null ? {} : { timeoutMs: Math.min(timeout, LIMITS.shellWallMsMax) }), bare };
  const [name = "gsv", ...args] = words;
  if (script !== null) return await runOnHost(io, { script, name, ...positional(args), ...limit });
  if (words.length > 0 && name !== "-")
    return await runOnHost(io, {
      script: 'exec "$BASH" --noprofile --norc -- "$0" "$@"',
      name,
      ...positional(args),
      ...limit,
    });
  if (io.stdin.kind === "none") throw usageError(spec, "no script");
  if (io.stdin.kind !== "tty")
    return await runOnHost(io, { script: await scriptOn(io), stdin: "", ...positional(args), ...limit });
  const at = await io.remotes.current();
  if (at !== null)
    throw new SysError("EUSAGE", `no interactive shell on ${at.name}`, ["run a script there: gsv sh --host -c SCRIPT"]);
  const status = await io.hostTerminal({ bare });
  if (status === null) throw usageError(spec, "no script, and no terminal for a shell");
  return status;
}

// Like sh: flags end at the first other word, and the rest belongs to the script.
function parse(args: readonly string[]): ShArguments | "help" {
  let script: string | null = null;
  let timeout: number | null = null;
  let [host, bare] = [false, false];
  let at = 0;
  for (; at < args.length; at++) {
    const token = args[at] ?? "";
    if (token === "--help" || token === "-h") return "help";
    if (token === "--timeout" || token.startsWith("--timeout=")) {
      const text = token === "--timeout" ? args[++at] : token.slice("--timeout=".length);
      if (text === undefined) throw usageError(spec, "--timeout needs a number of seconds");
      timeout = timeoutMs(spec, text);
    } else if (token === "-c") {
      script = args[++at] ?? null;
      if (script === null) throw usageError(spec, "-c needs a script");
    } else if (token === "--host") host = true;
    else if (token === "--no-sandbox") bare = true;
    else if (token === "--" || token === "-s") {
      at++;
      break;
    } else if (token.startsWith("-") && token !== "-") {
      throw usageError(spec, `unknown flag ${token.slice(0, 60)}`);
    } else break;
  }
  if (bare && !host) throw usageError(spec, "--no-sandbox needs --host");
  return { script, words: args.slice(at), timeout, host, bare };
}

async function requestFor(io: Io, { script, words, timeout }: ShArguments): Promise<Omit<ShellRequest, "id">> {
  const limit = timeout === null ? {} : { timeoutMs: Math.min(timeout, LIMITS.shellWallMsMax) };
  if (script !== null) {
    const [name = "gsv", ...args] = words;
    return { script, name, ...positional(args), ...limit, ...(await stdinFor(io)) };
  }
  const [file, ...args] = words;
  if (file !== undefined && file !== "-") {
    const script = (await scriptOfHost(io, file)) ?? sourcing(file);
    return { script, name: file, ...positional(args), ...limit, ...(await stdinFor(io)) };
  }
  if (io.stdin.kind === "none" || io.stdin.kind === "tty") throw usageError(spec, "no script");
  return { script: await scriptOn(io), name: "gsv", ...positional(args), ...limit };
}

/** The text of a file of this computer, read as the person, unless gsv has a file of this path. */
async function scriptOfHost(io: Io, file: string): Promise<string | null> {
  if (file.startsWith("~") || /^(?:\/usr)?\/bin\//.test(file)) return null;
  const path = resolve(io.cwd, file);
  const host = await io.host().catch(() => null);
  const kind = (await host?.look(path, { follow: true }))?.kind;
  if (kind === undefined || (await statOrNull(io.sys(), file, { link: false })) !== null) return null;
  if (kind === "directory") throw new SysError("EISDIR", `${file}: Is a directory`);
  const tooLong = () => tooLongScript(file);
  return textOf(await wholeHostFile(io, path, { bytesMax: LIMITS.shellScriptBytesMax, tooLong }), file);
}

// Like bash: prefers a script file to a program of the same name, and does not run programs as scripts. A missing file exits with 3.
function sourcing(file: string): string {
  const missing = `printf '%s\\n' ${quoted(`gsv: ${file}: No such file or directory`)} >&2; exit ${exitStatusOfCode("ENOENT")}`;
  const found = `if [ -e ${quoted(file)} ]; then . ${quoted(file)} "$@"; else ${missing}; fi`;
  const name = /^(?:(?:\/usr)?\/bin\/)?([a-z0-9._-]+)$/i.exec(file)?.[1];
  if (name === undefined) return found;
  const says = quoted(`gsv: ${name} is a program, not a script. To run it: gsv sh -c '${name}'`);
  const refused = `[ -e ${quoted(`/bin/${name}`)} ]; then printf '%s\\n' ${says} >&2; exit 126; else ${found}; fi`;
  return name === file ? `if [ -e ${quoted(name)} ]; then . ./${quoted(name)} "$@"; elif ${refused}` : `if ${refused}`;
}

function positional(args: readonly string[]): Pick<ShellRequest, "args"> {
  return args.length === 0 ? {} : { args };
}

function quoted(path: string): string {
  // A leading ~ must stay unquoted.
  const [, home = "", rest = path] = /^(~[a-z0-9_-]*\/?)(.*)$/s.exec(path) ?? [];
  return `${home}${inQuotes(rest)}`;
}

async function scriptOn(io: Io): Promise<string> {
  const bytes = await allOf(io, LIMITS.shellScriptBytesMax);
  if (bytes.byteLength > LIMITS.shellScriptBytesMax) throw tooLongScript("the script");
  return textOf(bytes, "the script");
}

function tooLongScript(what: string): SysError {
  return new SysError("EFBIG", `${what} is larger than ${LIMITS.shellScriptBytesMax / 1024} KiB`);
}

function textOf(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SysError("EUSAGE", `${what} is not text: it is not valid UTF-8`);
  }
}

async function stdinFor(io: Io): Promise<Pick<ShellRequest, "stdin">> {
  if (io.stdin.kind === "none" || io.stdin.kind === "tty") return {};
  const bytes = await allOf(io, LIMITS.shellStdinBytesMax);
  if (bytes.byteLength > LIMITS.shellStdinBytesMax) {
    throw new SysError("EFBIG", `stdin is larger than ${LIMITS.shellStdinBytesMax / 1024} KiB`, [
      "copy it into gsv first: gsv cp - '~/data'",
    ]);
  }
  return bytes.byteLength === 0 ? {} : { stdin: Buffer.from(bytes).toString("base64") };
}

async function allOf(io: Io, bytesMax: number): Promise<Uint8Array> {
  const stop = io.clock.after(
    WORD_AFTER_MS,
    () => void note(io, "gsv: waiting for the end of stdin (or: < /dev/null)"),
  );
  try {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of io.stdin.bytes()) {
      pieces.push(piece);
      size += piece.byteLength;
      if (size > bytesMax) break;
    }
    return Buffer.concat(pieces);
  } finally {
    stop();
  }
}

/** Runs the script, prints its output as it arrives, and passes signals on, because it may have traps. */
export async function runShell(io: Io, request: Omit<ShellRequest, "id">): Promise<ShellEnded> {
  const sys = io.sys();
  const id = uuidv7(io.clock.now(), io.random);
  let stopped: Interruption | null = null;
  let over = false;
  const release = io.onSignal((name) => {
    stopped = name;
    void signalled(io, { id, signal: name }, () => over);
  });
  const reader = new Reader(io, id);
  try {
    const running = sys.call<ShellAnswer>("shell.run", { id, ...request });
    const following = reader.follow(running);
    const answer = await running;
    await following;
    await reader.print(answer.output, 0);
    await reader.rest();
    return {
      exit: answer.exit ?? (stopped === null ? 1 : ENDED_BY[stopped]),
      over: answer.over,
      session: answer.session,
    };
  } finally {
    over = true;
    release();
    await reader.end();
  }
}

// Repeated until the script exists: a person may be faster than the kernel.
async function signalled(io: Io, about: { id: string; signal: Interruption }, over: () => boolean): Promise<void> {
  while (!over()) {
    try {
      await io.sys().call("shell.signal", about);
      return;
    } catch {
      await io.clock.sleep(SIGNAL_AGAIN_MS);
    }
  }
}

interface ShellEnded {
  readonly exit: number;
  /** `exit` was called, or the shell state could not be saved. */
  readonly over: boolean;
  readonly session: ShellAnswer["session"];
}

/** Prints a script's output from where it stopped printing. */
class Reader {
  private at = 0;
  private ended = false;
  private readonly streams: { readonly stdout: ForeignOutput; readonly stderr: ForeignOutput };

  constructor(
    private readonly io: Io,
    private readonly id: string,
  ) {
    this.streams = { stdout: new ForeignOutput(io.stdout), stderr: new ForeignOutput(io.stderr) };
  }

  /** Only for slow scripts: the first answer has the output of quick ones. */
  async follow(running: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const done = running.then(
      () => over.abort(),
      () => over.abort(),
    );
    await this.io.clock.sleep(FOLLOW_AFTER_MS, over.signal);
    while (!over.signal.aborted && !this.ended) {
      const next = this.page(FOLLOW_WAIT_MS, over.signal).catch(() => null);
      const page = await Promise.race([next, done.then(() => null)]);
      if (page !== null) await this.print(page, this.at);
    }
  }

  /** The output after the first answer. */
  async rest(): Promise<void> {
    while (!this.ended && !this.io.stdout.closed) await this.print(await this.page(0), this.at);
  }

  async print({ pieces, ended }: ShellOutput, from: number): Promise<void> {
    let place = from;
    for (const { stream, bytes } of pieces) {
      const whole = Buffer.from(bytes, "base64");
      const fresh = whole.subarray(Math.max(0, this.at - place));
      place += whole.byteLength;
      if (place <= this.at) continue;
      await this.streams[stream].write(fresh);
      this.at = place;
    }
    this.ended ||= ended;
  }

  async end(): Promise<void> {
    await this.streams.stdout.end();
    await this.streams.stderr.end();
  }

  private page(waitMs: number, signal?: AbortSignal): Promise<ShellOutput> {
    const options = signal === undefined ? {} : { signal };
    return this.io.sys().call<ShellOutput>("shell.output", { id: this.id, from: this.at, waitMs }, options);
  }
}
