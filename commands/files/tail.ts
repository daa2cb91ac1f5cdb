// `gsv tail`: the end of files, of which no more is read than is shown, and with -f what is added to them, until it is interrupted.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY } from "../../src/abi/ended-by.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Piece } from "../../src/syscalls/fs/file-tree-service.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { ForeignOutput } from "../io/foreign-output.ts";
import { statOf } from "./list/entries.ts";
import { Problems } from "./problems.ts";

const LINES = 10;
const LINES_MAX = 1_000_000;
const SPAN_BYTES = 64 * 1024;
const NEWLINE = 10;
/** How often is looked for more: the less often the longer nothing came. */
const LOOK_MS = [40, 40, 40, 80, 80, 160, 250] as const;

const input = {
  paths: field.paths("the files", { positional: true, meta: "PATH...", of: "file" }),
  lines: field.withDefault(field.int("how many lines", { min: 0, max: LINES_MAX, letter: "n", meta: "N" }), LINES),
  follow: field.flag("print what is added, until interrupted", { letter: "f" }),
};

export const tail: Command = command(
  {
    name: "tail",
    summary: "Print the end of files, and follow them",
    input,
    examples: ["gsv tail -n 20 '~/notes.md'", "gsv tail -f /proc/init:1000/stream"],
    notes: ["/proc/PID/stream is what a process says and what its commands print, as it comes."],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "tail", json);
    // What is followed is made by a kernel: one is kept up for it.
    const release = args.follow === true ? io.sys().on({ names: [] }, () => {}) : () => {};
    const out = new Titled(io, args.paths.length > 1);
    const files: Growing[] = [];
    for (const path of args.paths) {
      const file = new Growing(io.sys(), path);
      const end = await problems.attempt(path, () => file.end(args.lines));
      if (end === null) continue;
      await out.write(path, end, { always: true });
      files.push(file);
    }
    const interrupted = args.follow === true ? await follow(io, files, { problems, out }) : null;
    release();
    await out.end();
    return interrupted ?? problems.status;
  },
);

/** The status of what interrupted it; null where there is nothing left to follow. */
async function follow(
  io: Io,
  files: readonly Growing[],
  { problems, out }: { readonly problems: Problems; readonly out: Titled },
): Promise<number | null> {
  const left = new Set(files);
  const interruption = new AbortController();
  let status: number | null = null;
  const release = io.onEnding((name) => {
    status = ENDED_BY[name];
    interruption.abort();
  });
  for (let looks = 0; left.size > 0 && status === null && !io.stdout.closed; looks++) {
    for (const file of left) {
      const more = await problems.attempt(file.path, () => file.more());
      // One that is gone is not waited for.
      if (more === null) left.delete(file);
      else if (more.byteLength > 0) {
        looks = 0;
        await out.write(file.path, more, { always: false });
      }
    }
    await io.clock.sleep(LOOK_MS[Math.min(looks, LOOK_MS.length - 1)] ?? 0, interruption.signal);
  }
  release();
  return status;
}

/** One file, read on from where it was read to. */
class Growing {
  private at = 0;
  private version = "";
  /** It is made as it is read, and has no size. */
  private isMade = false;

  constructor(
    private readonly sys: Sys,
    readonly path: string,
  ) {}

  async end(lines: number): Promise<Uint8Array> {
    const { size } = await statOf(this.sys, this.path, { link: false });
    this.isMade = size === 0;
    for (let span = SPAN_BYTES; ; span *= 4) {
      const from = Math.max(0, size - span);
      this.at = from;
      const found = lastLines(await this.rest(), lines);
      if (from === 0 || found.isWhole) return found.bytes;
      if (span >= LIMITS.fileBytesMax) throw tooLong(this.path, lines);
    }
  }

  async more(): Promise<Uint8Array> {
    const before = this.version;
    const piece = await this.piece();
    if (this.isMade && piece.version !== before && this.at > 0) return this.anew();
    if (piece.bytes.byteLength === 0 && !this.isMade) {
      const { size } = await statOf(this.sys, this.path, { link: false });
      if (size < this.at) return this.anew();
    }
    this.at += piece.bytes.byteLength;
    return piece.bytes;
  }

  /** It was cut, or is another now. */
  private anew(): Promise<Uint8Array> {
    this.at = 0;
    return this.rest();
  }

  private async rest(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (;;) {
      const { bytes, eof } = await this.piece();
      pieces.push(bytes);
      this.at += bytes.byteLength;
      if (eof || bytes.byteLength === 0) return Buffer.concat(pieces);
    }
  }

  private async piece(): Promise<{ readonly bytes: Uint8Array; readonly eof: boolean; readonly version: string }> {
    const { data, eof, version } = await this.sys.call<Piece>("fs.get", { path: this.path, offset: this.at });
    this.version = version;
    return { bytes: Buffer.from(data, "base64"), eof, version };
  }
}

function tooLong(path: string, lines: number): SysError {
  const size = `${LIMITS.fileBytesMax / 1024 / 1024} MiB`;
  return new SysError("EFBIG", `cannot read ${path}: its last ${lines} lines are more than ${size}`, [
    "-n with a smaller number shows less",
  ]);
}

function lastLines(all: Uint8Array, count: number): { readonly bytes: Uint8Array; readonly isWhole: boolean } {
  if (count === 0) return { bytes: new Uint8Array(), isWhole: true };
  let at = all.byteLength - (all.at(-1) === NEWLINE ? 1 : 0);
  for (let left = count; left > 0 && at >= 0; left--) at = at === 0 ? -1 : all.lastIndexOf(NEWLINE, at - 1);
  return { bytes: all.subarray(at + 1), isWhole: at >= 0 };
}

/** Several files on one stdout: what comes from another than before is told by a title. */
class Titled {
  private readonly foreign: ForeignOutput;
  private last: string | null = null;

  constructor(
    private readonly io: Io,
    private readonly isTitled: boolean,
  ) {
    this.foreign = new ForeignOutput(io.stdout);
  }

  async write(path: string, bytes: Uint8Array, { always }: { readonly always: boolean }): Promise<void> {
    const title = `${this.last === null ? "" : "\n"}==> ${path} <==\n`;
    if (this.isTitled && (always || this.last !== path)) await this.io.stdout.write(title);
    this.last = path;
    await this.foreign.write(bytes);
  }

  end(): Promise<void> {
    return this.foreign.end();
  }
}
