// Files that a client sends in pieces and then writes in one step. Pieces are temporary, like /tmp, and idle uploads are dropped when space is
// needed. Pieces come in order; a repeated piece counts once.

import type { LargeContent } from "../../../fs/filesystem.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { type GrowingBytes, TemporaryBytes } from "../../lib/memory/growing-bytes.ts";

const PIECE_BYTES = 1024 * 1024;

interface Upload {
  readonly pieces: GrowingBytes;
  touchedAt: number;
}

export class Uploads {
  private readonly held = new Map<string, Upload>();
  private bytes = 0;

  constructor(
    private readonly clock: Clock,
    private readonly temporary = new TemporaryBytes(null),
  ) {}

  /** Returns the size so far. */
  stage(caller: Caller, { upload: id, offset, piece }: { upload: string; offset: number; piece: Uint8Array }): number {
    const key = keyOf(caller, id);
    const upload = this.held.get(key) ?? this.begin(key, offset);
    const { pieces } = upload;
    upload.touchedAt = this.clock.mono();
    if (offset + piece.byteLength <= pieces.size) return pieces.size;
    if (offset !== pieces.size)
      throw new SysError("EINVAL", `the piece at ${offset} does not follow the ${pieces.size} bytes before`);
    // Without temporary files an upload takes memory.
    const most = pieces.memory < pieces.size ? LIMITS.uploadBytesMax : LIMITS.fileBytesMax;
    if (pieces.size + piece.byteLength > most) {
      this.drop(key);
      throw new SysError("EFBIG", `files may have ${most / 1024 / 1024} MiB`);
    }
    this.makeRoom(piece.byteLength, key);
    pieces.append(piece);
    this.bytes += piece.byteLength;
    return pieces.size;
  }

  content(caller: Caller, id: string): LargeContent {
    const upload = this.held.get(keyOf(caller, id));
    if (upload === undefined) throw gone();
    const { pieces } = upload;
    const { size } = pieces;
    return {
      size,
      async *pieces() {
        for (let at = 0; at < size; at += PIECE_BYTES) {
          // Dropped meanwhile.
          if (pieces.size !== size) throw gone();
          yield pieces.read(at, PIECE_BYTES);
        }
      },
    };
  }

  forget(caller: Caller, id: string): void {
    this.drop(keyOf(caller, id));
  }

  private begin(key: string, offset: number): Upload {
    if (offset !== 0) throw gone();
    const upload = { pieces: this.temporary.fresh(), touchedAt: 0 };
    this.held.set(key, upload);
    return upload;
  }

  private makeRoom(bytes: number, except: string): void {
    const idleSince = this.clock.mono() - LIMITS.uploadIdleMs;
    for (const [key, { touchedAt }] of this.held) {
      if (this.hasRoom(bytes)) return;
      if (key !== except && touchedAt < idleSince) this.drop(key);
    }
    if (!this.hasRoom(bytes)) {
      this.drop(except);
      throw new SysError("EAGAIN", "too many uploads at the same time: nothing was written", ["try again later"]);
    }
  }

  private hasRoom(bytes: number): boolean {
    let memory = 0;
    for (const { pieces } of this.held.values()) memory += pieces.memory;
    return this.bytes + bytes <= LIMITS.uploadsBytesMax && memory + bytes <= LIMITS.uploadsMemoryBytesMax;
  }

  private drop(key: string): void {
    const upload = this.held.get(key);
    this.bytes -= upload?.pieces.size ?? 0;
    upload?.pieces.drop();
    this.held.delete(key);
  }
}

function keyOf(caller: Caller, id: string): string {
  return `${caller.uid} ${caller.pid ?? ""} ${id}`;
}

// The kernel was replaced, or the upload was dropped for space.
function gone(): SysError {
  return new SysError("EAGAIN", "the upload was lost: nothing was written", ["upload it again"]);
}
