// just-bash's file system over the shell port: gsv's files. Errors are worded as in bash, because the interpreter prints their text.

import type { FileContent, FsStat, IFileSystem } from "just-bash/browser";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ShellStat } from "../../targets/shell.ts";
import { AT_ONCE, SINKS, SOURCES } from "../programs/internal-words.ts";
import type { Files } from "../programs/program.ts";
import { ENDLESS_BYTES, endlessBytes, endlessError, isEndless } from "./endless.ts";
import { errorInside, phraseOf, ShellFileError } from "./errors.ts";
import { type GlobEntry, globEntries } from "./glob-names.ts";
import type { KernelPort } from "./kernel-port.ts";
import { Openings } from "./openings.ts";

const PIECE_BYTES = 4 * 1024 * 1024;
const TYPED_MAX = 1000;

/** Receives a script's output as it is printed. */
export type Sink = (stream: "stdout" | "stderr", bytes: Uint8Array) => void;

export interface GsvFilesOptions {
  readonly kernel: KernelPort;
  readonly sink: Sink;
  /** The rewritten text of a file that the script sources. */
  readonly sourceAt: (path: string) => string | undefined;
  /** null until set; then the directory decides. */
  readonly umask: number | null;
  readonly programs: ReadonlySet<string>;
  readonly random: RandomBytes;
  readonly clock: Pick<Clock, "after">;
}

const NULL = "/dev/null";
/** What `umask` prints if the directory decides. */
export const UMASK_SHOWN = 0o022;

export class GsvFiles implements IFileSystem {
  /** Permissions removed from new files. */
  umask: number | null;
  /** Redirections may not replace files (noclobber). */
  keepsFiles = false;
  readonly kernel: KernelPort;
  /** The last typed form of each absolute path. */
  private readonly typed = new Map<string, string>();
  /** The last error of each path. */
  private readonly failures = new Map<string, string>();
  private listing = 0;
  private readonly openings: Openings;

  constructor(private readonly options: GsvFilesOptions) {
    const { umask, kernel, clock } = options;
    this.umask = umask;
    this.kernel = kernel;
    this.openings = new Openings(kernel, clock, (path, error) => {
      const { message } =
        error instanceof SysError ? new ShellFileError(error, this.asTyped(path), true) : (error as Error);
      this.options.sink("stderr", Buffer.from(`${message}\n`));
    });
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    if (path === AT_ONCE && this.umask === null && !this.keepsFiles) this.openings.expect();
    if (path === NULL || path === AT_ONCE) return new Uint8Array();
    if (path.startsWith(SOURCES)) return Buffer.from(this.options.sourceAt(path) ?? "");
    // Read as a whole: redirections of builtins, and programs of the interpreter.
    if (isEndless(path)) {
      this.options.sink("stderr", Buffer.from(`bash: ${endlessError(path, ENDLESS_BYTES).message}\n`));
      return endlessBytes(path, ENDLESS_BYTES, this.options.random);
    }
    const pieces: Uint8Array[] = [];
    for (let offset = 0, eof = false; !eof; ) {
      const piece = await this.ask(path, this.kernel.file("read", path, offset, PIECE_BYTES));
      pieces.push(piece.bytes);
      offset += piece.bytes.byteLength;
      eof = piece.eof || piece.bytes.byteLength === 0;
      if (offset > LIMITS.fileBytesMax) await this.ask(path, Promise.reject(new SysError("EFBIG", "file too large")));
    }
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  async readFile(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readFileBuffer(path));
  }

  async writeFile(
    path: string,
    content: FileContent,
    options?: Parameters<IFileSystem["writeFile"]>[2],
  ): Promise<void> {
    if (path !== NULL) return this.put(path, bytesOf(content, options), "start");
  }

  async appendFile(
    path: string,
    content: FileContent,
    options?: Parameters<IFileSystem["appendFile"]>[2],
  ): Promise<void> {
    const stream = sinkOf(path);
    if (stream === "nowhere" || path === NULL) return;
    if (stream !== null) return this.options.sink(stream, typeof content === "string" ? printed(content) : content);
    return this.put(path, bytesOf(content, options), "end");
  }

  private async put(path: string, bytes: Uint8Array, at: "start" | "end"): Promise<void> {
    if (this.umask === null) {
      if (bytes.byteLength === 0 && this.openings.openUnseen(path, at)) return;
      if (bytes.byteLength === 0 && this.openings.open(path, at)) return;
      this.openings.replace(path, at);
    }
    return this.making(path, () => this.ask(path, this.kernel.file("write", path, bytes, at), true));
  }

  // Apply the umask only if the script has set one.
  private async making(path: string, make: () => Promise<void>, mode = 0o666): Promise<void> {
    if (this.umask === null) return make();
    const isNew = !(await this.exists(path));
    await make();
    if (!isNew) return;
    const inherited = (await this.stat(path)).mode & 0o7000;
    await this.chmod(path, inherited | (mode & ~this.umask));
  }

  /** The same files for programs, with ranges and owners. */
  readonly forPrograms: Files = {
    stat: (path) => this.ask(path, this.kernel.file("stat", path, "follow")),
    lstat: (path) => this.ask(path, this.kernel.file("stat", path, "keep")),
    list: async (path) => {
      const before = path === "/" ? "" : path;
      const entries = await this.ask(path, this.kernel.file("list", path));
      return entries.map(({ name, stat }) => ({ name, stat: { ...stat, place: `${before}/${name}` } }));
    },
    read: async (path, offset, bytesMax) => {
      if (path === NULL) return { bytes: new Uint8Array(), eof: true };
      if (!isEndless(path)) return this.ask(path, this.kernel.file("read", path, offset, bytesMax));
      if (offset >= LIMITS.fileBytesMax) return this.ask(path, Promise.reject(endlessError(path, LIMITS.fileBytesMax)));
      const length = Math.min(bytesMax, LIMITS.fileBytesMax - offset);
      return { bytes: endlessBytes(path, length, this.options.random), eof: false };
    },
    write: (path, bytes) => this.writeFile(path, bytes),
    append: (path, bytes) => this.appendFile(path, bytes),
    mkdir: (path, parents) => this.mkdir(path, { recursive: parents }),
    setattr: (path, attributes) => this.ask(path, this.kernel.file("setattr", path, attributes)),
    resolve: (path) => this.realpath(path),
    remove: (path) => this.rm(path),
    link: (path, target) => this.symlink(target, path),
  };

  /** `/bin/sed` and the like always exist. */
  private isProgram(path: string): boolean {
    const [, name] = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(path) ?? [];
    return name !== undefined && this.options.programs.has(name);
  }

  async exists(path: string): Promise<boolean> {
    if (sinkOf(path) !== null) return false;
    if (path === NULL || this.isProgram(path)) return true;
    if (this.openings.expects(path)) return false;
    return (await this.openings.look(path).catch(() => null)) !== null;
  }

  async stat(path: string): Promise<FsStat> {
    if (path === NULL || path.startsWith(SOURCES)) return { ...BARE, mode: 0o666, isFile: false };
    if (this.isProgram(path)) return BARE;
    return statFrom(this.openings.statOf(path) ?? (await this.ask(path, this.kernel.file("stat", path, "follow"))));
  }

  async lstat(path: string): Promise<FsStat> {
    if (path === NULL || this.isProgram(path)) return this.stat(path);
    return statFrom(await this.ask(path, this.kernel.file("stat", path, "keep")));
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.ask(path, this.kernel.file("list", path))).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<GlobEntry[]> {
    const all = await this.ask(path, this.kernel.file("list", path));
    const entries = all.map(({ name, stat }) => ({ name, ...kinds(stat.kind) }));
    return this.listing > 0 ? entries : globEntries(entries);
  }

  /** While a program of the interpreter lists directories itself. */
  async whileListing<T>(work: () => Promise<T>): Promise<T> {
    this.listing++;
    try {
      return await work();
    } finally {
      this.listing--;
    }
  }

  async mkdir(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    const make = () => this.ask(path, this.kernel.file("mkdir", path, options.recursive === true));
    return this.making(path, make, 0o777);
  }

  async rm(path: string, options: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    try {
      await this.ask(path, this.kernel.file("remove", path, options.recursive === true));
    } catch (error) {
      if (!options.force || (error as { code?: string }).code !== "ENOENT") throw error;
    }
  }

  async cp(from: string, to: string, options: { recursive?: boolean } = {}): Promise<void> {
    const stat = await this.stat(from);
    if (!stat.isDirectory) {
      if (isEndless(from)) await this.ask(from, Promise.reject(endlessError(from, 0)));
      return this.writeFile(to, await this.readFileBuffer(from));
    }
    if (!options.recursive) throw new ShellFileError(new SysError("EISDIR", "is a directory"), from);
    await this.mkdir(to, { recursive: true });
    let failed: unknown = null;
    for (const name of await this.readdir(from)) {
      const inner = `${from}/${name}`;
      // The rest is copied; the interpreter reports one error and only knows the directory.
      await this.cp(inner, `${to}/${name}`, options).catch((error: unknown) => {
        failed ??= errorInside(error, inner);
      });
    }
    if (failed !== null) throw failed;
  }

  async mv(from: string, to: string): Promise<void> {
    try {
      await this.ask(from, this.kernel.file("rename", from, to));
    } catch (error) {
      if ((error as { code?: string }).code !== "EXDEV") throw error;
      await this.cp(from, to, { recursive: true });
      await this.rm(from, { recursive: true });
    }
  }

  resolvePath(base: string, path: string): string {
    const whole = resolved(base, path);
    if (this.typed.size >= TYPED_MAX) this.typed.clear();
    this.typed.set(whole, path);
    return whole;
  }

  /** The interpreter and its programs report some files as missing for any error. */
  worded(text: string): string {
    const pattern = /^(bash|base64|comm|diff|file|gunzip|gzip|jq|split|zcat): (.*): No such file or directory$/gm;
    return text.replaceAll(pattern, (whole, name: string, path: string) => {
      const phrase = this.failures.get(path);
      return phrase === undefined ? whole : `${name}: ${path}: ${phrase}`;
    });
  }

  /** The path as typed. */
  private asTyped(path: string): string {
    return this.typed.get(path) ?? path;
  }

  /** The full list is unknown. */
  getAllPaths = (): string[] => [];

  chmod(path: string, mode: number): Promise<void> {
    return this.ask(path, this.kernel.file("setattr", path, { mode }));
  }

  symlink(target: string, path: string): Promise<void> {
    return this.ask(path, this.kernel.file("link", path, target));
  }

  async link(_from: string, to: string): Promise<void> {
    throw new ShellFileError(new SysError("EPERM", "no hard links"), to);
  }

  async readlink(path: string): Promise<string> {
    const { target } = await this.ask(path, this.kernel.file("stat", path, "keep"));
    if (target === undefined) throw new ShellFileError(new SysError("EINVAL", "not a link"), path);
    return target;
  }

  realpath(path: string): Promise<string> {
    return this.ask(path, this.kernel.file("resolve", path));
  }

  utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    return this.ask(path, this.kernel.file("setattr", path, { mtimeMs: mtime.getTime() }));
  }

  private async ask<T>(path: string, answer: Promise<T>, redirect = false): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const typed = this.asTyped(path);
      // An empty name is not a directory, although it resolves to the working directory.
      const reported = typed === "" ? new SysError("ENOENT", error.message) : error;
      const failure = new ShellFileError(reported, typed, redirect);
      if (this.failures.size >= TYPED_MAX) this.failures.clear();
      this.failures.set(typed, phraseOf(reported, typed));
      throw failure;
    }
  }
}

const BARE: FsStat = { ...kinds("file"), mode: 0o755, size: 0, mtime: new Date(0), identity: "" };

function resolved(base: string, path: string): string {
  const names: string[] = [];
  for (const name of `${path.startsWith("/") ? "" : base}/${path}`.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

function sinkOf(path: string): keyof typeof SINKS | null {
  if (path === SINKS.stdout) return "stdout";
  if (path === SINKS.stderr) return "stderr";
  return path === SINKS.nowhere ? "nowhere" : null;
}

// The interpreter passes text, or binary data as one character per byte, without telling which. Text has no
// unusual control characters, and none from 0x80 to 0x9f.
export function printed(text: string): Uint8Array {
  const isBinary = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x80-\x9f]/.test(text) && !/[^\x00-\xff]/.test(text);
  return Buffer.from(text, isBinary ? "latin1" : "utf8");
}

function bytesOf(content: FileContent, options?: Parameters<IFileSystem["writeFile"]>[2]): Uint8Array {
  if (typeof content !== "string") return content;
  const encoding = typeof options === "string" ? options : options?.encoding;
  return Buffer.from(content, encoding === "binary" || encoding === "latin1" ? "latin1" : "utf8");
}

function kinds(kind: ShellStat["kind"]) {
  return { isFile: kind === "file", isDirectory: kind === "directory", isSymbolicLink: kind === "symlink" };
}

function statFrom({ kind, mode, size, mtimeMs, place }: ShellStat): FsStat {
  return { ...kinds(kind), mode, size, mtime: new Date(mtimeMs), identity: place };
}
