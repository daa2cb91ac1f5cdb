// A program of the shell as a command of gsv, with the same flags and output. Adds --json, colors and columns on a terminal, errors with
// hints, and gsv's exit statuses.

import { join } from "../../fs/path.ts";
import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { isBinary } from "../../src/lib/media-type.ts";
import { wantsColour } from "../../src/lib/text/colour.ts";
import {
  type Call,
  Ended,
  type Entry,
  type Files,
  type Program,
  phrase,
  type Stat,
  Usage,
} from "../../src/shell/programs/program.ts";
import type { FileEntry, Piece } from "../../src/syscalls/fs/fs-tree.ts";
import { asks, helpLetter, type Spec, usageError } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { showHelp } from "../define.ts";
import { ForeignOutput, notForTerminals } from "../io/foreign-output.ts";
import { jsonLine } from "../io/status.ts";
import { entriesOf, statOf } from "./entries.ts";
import { Problems } from "./problems.ts";

interface How {
  readonly load: () => Promise<Program>;
  /** Its output is safe for a terminal and may have colours. */
  readonly isInert?: true;
  /** Prints contents: no binary data on a terminal, and a file that changes meanwhile is an error. */
  readonly printsContent?: true;
  /** Its exit statuses mean more than success and failure. */
  readonly ownStatus?: true;
}

export function programCommand(spec: Spec, how: How): Command {
  return {
    spec,
    async run(args, io) {
      if (asks(args, "--help", ...helpLetter(spec.input))) return showHelp(io, spec);
      const end = args.includes("--") ? args.indexOf("--") : args.length;
      const words = args.filter((word, at) => word !== "--json" || at > end);
      return new Run(spec, { io, how, json: words.length < args.length }).status(words);
    },
  };
}

interface Place {
  readonly io: Io;
  readonly how: How;
  readonly json: boolean;
}

class Run {
  private readonly problems: Problems;
  private readonly foreign: ForeignOutput | null;
  private written: Promise<void> = Promise.resolve();
  /** An error that is not about a file: no kernel, no credential, a bug. */
  private fatal: unknown = null;
  private interrupted: number | null = null;
  private release: (() => void) | null = null;
  private readonly interruption = new AbortController();

  constructor(
    private readonly spec: Spec,
    private readonly place: Place,
  ) {
    const { io, how, json } = place;
    this.problems = new Problems(io, spec.name, json);
    this.foreign = io.stdout.isTTY && how.isInert !== true ? new ForeignOutput(io.stdout) : null;
  }

  async status(args: readonly string[]): Promise<number> {
    const { how } = this.place;
    try {
      const own = await (await how.load())(this.call(args));
      await this.written;
      await this.foreign?.end();
      if (this.fatal !== null) throw this.fatal;
      return how.ownStatus ? own : this.problems.status || own;
    } catch (error) {
      await this.written;
      if (this.fatal !== null) throw this.fatal;
      if (error instanceof Ended) return error.status;
      if (error instanceof Usage) throw usageError(this.spec, error.message.split("\n")[0] ?? "");
      throw (error as Failed).cause instanceof SysError ? (error as Failed).cause : error;
    } finally {
      this.release?.();
    }
  }

  private call(args: readonly string[]): Call {
    const { io, json } = this.place;
    const [columns, colour] = [io.stdout.isTTY ? io.stdout.columns : null, wantsColour(io.stdout.isTTY, io.env)];
    return {
      ...{ name: this.spec.name, args, cwd: io.cwd, env: {}, umask: 0, isPiped: true, signal: undefined },
      ...{
        look: { columns, colour, isoTimes: columns === null },
        outputBytesMax: Number.POSITIVE_INFINITY,
        random: io.random,
      },
      stdin: this.stdin(args),
      files: this.files(),
      nowMs: () => io.clock.now(),
      path: (name) => name,
      out: (text) => this.out(text),
      row: json ? (row) => this.out(jsonLine(row)) : null,
      room: () => this.room(),
      pause: (ms) => this.pause(ms),
      err: (text) => void this.fail(new Error(text.trimEnd()), (why) => why),
      fail: (error, wording) => this.fail(error, wording),
      ...{ run: notHere, capture: notHere },
    };
  }

  private out(text: string | Uint8Array): void {
    const { stdout } = this.place.io;
    if (stdout.closed) throw new Ended(ENDED_BY.PIPE);
    this.written = this.written.then(() =>
      this.foreign === null ? stdout.write(text) : this.foreign.write(Buffer.from(text as string)),
    );
  }

  private async room(): Promise<void> {
    await this.written;
    if (this.place.io.stdout.closed) throw new Ended(ENDED_BY.PIPE);
  }

  /** Only programs that follow files pause. They run until interrupted and keep a kernel running. */
  private async pause(ms: number): Promise<void> {
    const { io } = this.place;
    this.release ??= this.follow();
    await this.room();
    await io.clock.sleep(ms, this.interruption.signal);
    if (this.interrupted !== null) throw new Ended(this.interrupted);
    await this.room();
  }

  private follow(): () => void {
    const { io } = this.place;
    const releases = [
      io.sys().on({ names: [] }, () => {}),
      io.onEnding((name) => {
        this.interrupted = ENDED_BY[name];
        this.interruption.abort();
      }),
    ];
    return () => {
      for (const release of releases) release();
    };
  }

  private fail(error: unknown, wording: (why: string) => string): void {
    const { code = "EINVAL", path = "", cause } = error as Failed;
    const isWhole = cause instanceof SysError && !Problems.isPlain(cause);
    const text = isWhole ? `${this.spec.name}: ${cause.message}` : wording(phrase(error));
    const known = cause instanceof SysError ? cause : new SysError(code as SysError["code"], text);
    this.written = this.written.then(() => this.problems.reportAs(path, known, text));
  }

  private stdin(args: readonly string[]): Call["stdin"] {
    const { io } = this.place;
    const isWanted = args.includes("-") || !["tty", "none"].includes(io.stdin.kind);
    // Opened at the first read: an open stream of the terminal stays locked for the next command.
    let bytes: AsyncIterator<Uint8Array> | null = null;
    return {
      next: async () => {
        if (!isWanted) throw usageError(this.spec, `${this.spec.name}: no files are named, and stdin is empty`);
        bytes ??= io.stdin.bytes()[Symbol.asyncIterator]();
        const { value, done } = await bytes.next();
        return done === true ? null : value;
      },
    };
  }

  private files(): Files {
    const { io, how } = this.place;
    const files = gsvFiles(io.sys());
    const versions = new Map<string, string | undefined>();
    const about =
      <Rest extends unknown[], Result>(act: (path: string, ...rest: Rest) => Promise<Result>) =>
      (path: string, ...rest: Rest): Promise<Result> =>
        act(path, ...rest).catch((error: unknown) => {
          throw this.translated(path, error);
        });
    return {
      ...{ stat: about(files.stat), lstat: about(files.lstat), list: about(files.list), mkdir: about(files.mkdir) },
      ...{ write: about(files.write), append: about(files.append), setattr: about(files.setattr) },
      ...{ remove: about(files.remove), link: about(files.link), resolve: about(files.resolve) },
      read: about(async (path, offset, bytesMax) => {
        const piece = await files.read(path, offset, bytesMax);
        if (!how.printsContent) return piece;
        if (offset > 0 && versions.get(path) !== piece.version)
          throw new SysError("ECONFLICT", `cannot read ${path}: changed since it was read`, ["try again"]);
        versions.set(path, piece.version);
        if (io.stdout.isTTY && this.spec.name === "cat" && offset === 0 && isBinary(piece.bytes))
          throw notForTerminals(path);
        return piece;
      }),
    };
  }

  /** The shell's programs expect errors with a code and a phrase. */
  private translated(path: string, error: unknown): Error {
    if (!(error instanceof SysError) || !Problems.isAboutPath(error)) {
      this.fatal ??= error;
      return new Ended(1);
    }
    return Object.assign(new Error(Problems.phraseOf(error)), { code: error.code, path, cause: error });
  }
}

interface Failed {
  readonly code?: string;
  readonly path?: string;
  readonly cause?: unknown;
}

function notHere(): Promise<never> {
  throw new Error("only programs of the shell run other programs");
}

/** The files of gsv as the shell's programs use them, over syscalls. */
function gsvFiles(sys: Sys): Files {
  return {
    stat: async (path) => statFrom(await statOf(sys, path, { link: false }), path),
    lstat: async (path) => statFrom(await statOf(sys, path, { link: true }), path),
    list: async (path) =>
      (await entriesOf(sys, path)).map((entry): Entry => {
        return { name: entry.name, stat: statFrom(entry, join(path, entry.name)) };
      }),
    async read(path, offset) {
      const { data, eof, version } = await sys.call<Piece>("fs.get", { path, offset });
      return { bytes: Buffer.from(data, "base64"), eof, version };
    },
    write: async (path, bytes) => void (await sys.call("fs.put", { path, data: base64(bytes) })),
    append: async (path, bytes) => void (await sys.call("fs.put", { path, data: base64(bytes), at: "end" })),
    remove: async (path) => void (await sys.call("fs.remove", { path })),
    link: async (path, target) => void (await sys.call("fs.link", { path, target })),
    resolve: async (path) => (await statOf(sys, path, { link: false })).path,
    mkdir: async (path, parents) => void (await sys.call("fs.mkdir", { path, parents })),
    async setattr(path, { mode, uid, gid, mtimeMs }) {
      await sys.call("fs.setattr", {
        path,
        ...(mode === undefined ? {} : { mode: mode.toString(8).padStart(4, "0") }),
        ...(uid === undefined ? {} : { owner: String(uid) }),
        ...(gid === undefined ? {} : { group: String(gid) }),
        ...(mtimeMs === undefined ? {} : { mtimeMs }),
      });
    },
  };
}

function statFrom(facts: FileEntry, place: string): Stat {
  const { kind, mode, uid, gid, size, mtimeMs, target } = facts;
  const link = target === undefined ? {} : { target };
  return { kind, mode: Number.parseInt(mode, 8), uid, gid, size, mtimeMs, place, ...link, facts };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
