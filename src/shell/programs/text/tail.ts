// `tail`: prints the end of files and reads no more than it prints; -f also prints what is appended.

import { LIMITS } from "../../../abi/config/limits.ts";
import { options } from "../options.ts";
import { type Call, eachFile, linesOf, pieces, Usage, whole } from "../program.ts";
import { type Amount, afterLines, amountOf, GRAMMAR, titles } from "./head.ts";

export async function tail(call: Call): Promise<number> {
  const plus = call.args.map((arg, at) => (at === 0 && /^\+\d+$/.test(arg) ? `-n${arg}` : arg));
  const { flags, operands } = options(call.name, plus, {
    ...GRAMMAR,
    letters: "n:c:qvzfFs:",
    long: { ...GRAMMAR.long, follow: "f", "follow=?": "f", retry: "F", "sleep-interval=": "s" },
  });
  const follows = flags.has("f") || flags.has("F");
  if (follows && !call.isPiped)
    throw new Usage(
      "tail: -f does not end, so a script cannot run it alone\nUse: tail -f PATH | grep -m1 WORD (outside of a script: gsv tail -f PATH)",
    );
  const amount = amountOf(call.name, flags);
  const titled = titles(call, flags, operands);
  const files: Growing[] = [];
  const status = await eachFile(
    call,
    operands,
    async (name) => {
      const found = await (amount.wanted.startsWith("+") ? fromStart : fromEnd)(call, name, amount);
      titled(name);
      call.out(found.bytes);
      if (follows && name !== "-") files.push(new Growing(call, name, found));
    },
    (name, why) =>
      why === "Is a directory" ? `error reading '${name}': ${why}` : `cannot open '${name}' for reading: ${why}`,
  );
  if (follows) await follow(call, files, (name) => files.length > 1 && call.out(`\n==> ${name} <==\n`));
  return status;
}

/** Polling interval of a followed file: grows while nothing is appended. */
const LOOK_MS = [40, 40, 40, 80, 80, 160, 250] as const;

/** Prints what is appended to files until the reader is gone. */
async function follow(call: Call, files: readonly Growing[], titled: (name: string) => unknown): Promise<void> {
  const left = new Set(files);
  let last = files.at(-1)?.name;
  for (let looks = 0; left.size > 0; looks++) {
    for (const file of left) {
      const more = await file.more().catch((error: unknown) => {
        call.fail(error, (why) => `tail: ${file.name}: ${why}`);
        left.delete(file);
        return new Uint8Array();
      });
      if (more.byteLength === 0) continue;
      if (last !== file.name) titled(file.name);
      last = file.name;
      looks = 0;
      call.out(more);
    }
    await call.pause(LOOK_MS[Math.min(looks, LOOK_MS.length - 1)] ?? 0);
  }
}

/** A followed file and the offset read so far. */
class Growing {
  private offset: number;
  private readonly isMade: boolean;
  private version: string | undefined;

  constructor(
    private readonly call: Call,
    readonly name: string,
    { end, isMade }: Shown,
  ) {
    this.offset = end;
    this.isMade = isMade;
  }

  async more(): Promise<Uint8Array> {
    const before = this.version;
    const piece = await this.piece();
    const isOther = this.isMade && before !== undefined && piece.version !== before && this.offset > 0;
    if (isOther || (piece.bytes.byteLength === 0 && !this.isMade && (await this.isShorter()))) {
      this.offset = 0;
      return this.rest();
    }
    this.offset += piece.bytes.byteLength;
    return piece.eof ? piece.bytes : Buffer.concat([piece.bytes, await this.rest()]);
  }

  private async isShorter(): Promise<boolean> {
    return (await this.call.files.stat(this.call.path(this.name))).size < this.offset;
  }

  private async rest(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (;;) {
      const { bytes, eof } = await this.piece();
      pieces.push(bytes);
      this.offset += bytes.byteLength;
      if (eof || bytes.byteLength === 0) return Buffer.concat(pieces);
    }
  }

  private async piece() {
    const piece = await this.call.files.read(this.call.path(this.name), this.offset, STEP_BYTES);
    this.version = piece.version;
    return piece;
  }
}

/** The initial output for a file. */
interface Shown {
  readonly bytes: Uint8Array;
  /** Offset of the end of the file. */
  readonly end: number;
  /** Generated on read, so the size is unknown. */
  readonly isMade: boolean;
}

async function fromStart(call: Call, name: string, { count, unit, end }: Amount): Promise<Shown> {
  const all = await whole(call, name);
  const skipped = Math.max(0, count - 1);
  const bytes = all.subarray(unit === "bytes" || skipped === 0 ? skipped : afterLines(all, skipped, end).at);
  return { bytes, end: all.byteLength, isMade: false };
}

const STEP_BYTES = 64 * 1024;

// Reads backwards in steps until there are enough lines.
async function fromEnd(call: Call, name: string, amount: Amount): Promise<Shown> {
  const { count } = amount;
  const isBytes = amount.unit === "bytes";
  const lineEnd = String.fromCharCode(amount.end);
  const isStdin = name === "-" || name === "/dev/stdin";
  const { size, kind } = isStdin ? { size: 0, kind: "file" } : await call.files.stat(call.path(name));
  if (kind === "directory") throw Object.assign(new Error("Is a directory"), { code: "EISDIR", path: name });
  for (let span = isBytes ? count : STEP_BYTES; ; span *= 4) {
    const from = Math.max(0, size - span);
    const end = size === 0 ? await whole(call, name) : await rest(call, name, from);
    const enough = isBytes || from === 0 || linesOf(end.toString("latin1"), lineEnd).length > count;
    if (!enough && span >= LIMITS.fileBytesMax) throw tooLong(count);
    if (enough) return { bytes: lastOf(end, amount), end: from + end.byteLength, isMade: size === 0 };
  }
}

function tooLong(count: number): Error {
  const why = `its last ${count} lines are more than ${LIMITS.fileBytesMax / 1024 ** 2} MiB`;
  return Object.assign(new Error(why), { code: "EFBIG" });
}

async function rest(call: Call, name: string, from: number): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces(call, name, from)) found.push(piece);
  return Buffer.concat(found);
}

function lastOf(all: Uint8Array, { count, unit, end }: Amount): Uint8Array {
  if (count === 0) return new Uint8Array();
  if (unit === "bytes") return all.subarray(-count);
  let at = all.byteLength - (all.at(-1) === end ? 1 : 0);
  for (let left = count; left > 0 && at >= 0; left--) at = at === 0 ? -1 : all.lastIndexOf(end, at - 1);
  return all.subarray(at + 1);
}
