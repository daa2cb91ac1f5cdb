// Files that a client sends in pieces and then writes in one step. Pieces are temporary, like /tmp, and idle uploads are dropped when space is
// needed. Pieces come in order; a repeated piece counts once.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { type GrowingBytes, TemporaryBytes } from "../../lib/memory/growing-bytes.ts";

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
    if (pieces.size + piece.byteLength > LIMITS.fileBytesMax) {
      this.drop(key);
      throw new SysError("EFBIG", `files may have ${LIMITS.fileBytesMax / 1024 / 1024} MiB`);
    }
    this.makeRoom(piece.byteLength, key);
    pieces.append(piece);
    this.bytes += piece.byteLength;
    return pieces.size;
  }

  content(caller: Caller, id: string): Uint8Array {
    const upload = this.held.get(keyOf(caller, id));
    if (upload === undefined) throw gone();
    return upload.pieces.read(0, upload.pieces.size);
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
      if (this.bytes + bytes <= LIMITS.uploadsBytesMax) return;
      if (key !== except && touchedAt < idleSince) this.drop(key);
    }
    if (this.bytes + bytes > LIMITS.uploadsBytesMax) {
      this.drop(except);
      throw new SysError("EAGAIN", "too many uploads at the same time: nothing was written", ["try again later"]);
    }
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
