// The files inside gsv, for copying. Small contents go in one call; larger ones are staged in pieces and put at once.

import { base, join } from "../../../fs/path.ts";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import { SysError } from "../../../src/abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../../../src/abi/ids.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { FileStat, Piece } from "../../../src/syscalls/fs/fs-tree.ts";
import { PIECE_BYTES_MAX } from "../../../src/syscalls/fs/fs-tree.ts";
import { entriesOf, statOf, statOrNull } from "../entries.ts";
import type { Side, Thing } from "./side.ts";

export interface GsvOptions {
  readonly sys: Sys;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export function gsvSide({ sys, clock, random }: GsvOptions): Side {
  return {
    fileBytesMax: LIMITS.uploadBytesMax,
    async look(path, { follow }) {
      const stat = await statOrNull(sys, path, { link: !follow });
      return stat === null ? null : thingOf(stat);
    },
    names: async (path) => (await entriesOf(sys, path)).map(({ name }) => name),
    read: (path) => piecesOf(sys, path),
    async write(path, pieces, { mode, exclusive }) {
      const bits = mode === undefined ? {} : { mode: octal(mode) };
      const how = { path, ...bits, ...(exclusive === true ? { exclusive } : {}) };
      await putPieces(sys, pieces, { how, upload: uuidv7(clock.now(), random) });
    },
    mkdir: async (path, mode) => void (await sys.call("fs.mkdir", { path, mode: octal(mode) })),
    link: async (path, target) => void (await sys.call("fs.link", { path, target })),
    async attributes(path, { mode, mtimeMs }) {
      const change = {
        ...(mode === undefined ? {} : { mode: octal(mode) }),
        ...(mtimeMs === undefined ? {} : { mtimeMs: Math.max(0, Math.round(mtimeMs)) }),
      };
      await sys.call("fs.setattr", { path, ...change });
    },
    remove: async (path) => void (await sys.call("fs.remove", { path })),
    within: join,
    nameOf: async (path) =>
      /(?:^|\/)(?:~[^/]*|\.{0,2})\/?$/.test(path) ? base((await statOf(sys, path, { link: false })).path) : base(path),
  };
}

function thingOf({ kind, mode, mtimeMs, size, path, target }: FileStat): Thing {
  const link = target === undefined ? {} : { target };
  return { kind, mode: Number.parseInt(mode, 8), mtimeMs, size, real: path, ...link };
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}

/** Fails if the file changes meanwhile. */
export async function* piecesOf(sys: Sys, path: string): AsyncGenerator<Uint8Array> {
  let first: string | null = null;
  for (let offset = 0, eof = false; !eof; ) {
    const piece: Piece = await sys.call("fs.get", { path, offset });
    first ??= piece.version;
    if (piece.version !== first)
      throw new SysError("ECONFLICT", `cannot read ${path}: changed since it was read`, ["try again"]);
    const bytes = Buffer.from(piece.data, "base64");
    offset += bytes.byteLength;
    eof = piece.eof;
    if (bytes.byteLength === 0 && !eof) throw new SysError("EIO", `${path}: damaged: it ends after ${offset} bytes`);
    yield bytes;
  }
}

export async function putPieces(
  sys: Sys,
  source: AsyncIterable<Uint8Array>,
  { how, upload }: { readonly how: object; readonly upload: string },
): Promise<void> {
  let held: Uint8Array | null = null;
  let offset = 0;
  const stage = async (piece: Uint8Array) => {
    await sys.call("fs.stage", { upload, offset, data: base64(piece) });
    offset += piece.byteLength;
  };
  for await (const piece of evenly(source)) {
    if (held !== null) await stage(held);
    held = piece;
  }
  if (offset === 0) return void (await sys.call("fs.put", { ...how, data: base64(held ?? new Uint8Array()) }));
  if (held !== null) await stage(held);
  await sys.call("fs.put", { ...how, upload });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Pieces of the size that one call takes. */
export async function* evenly(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength; ) {
      const part = chunk.subarray(from, from + PIECE_BYTES_MAX - size);
      held.push(part);
      size += part.byteLength;
      from += part.byteLength;
      if (size < PIECE_BYTES_MAX) continue;
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}
