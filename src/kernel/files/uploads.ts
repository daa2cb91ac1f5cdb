// Files that a client sends in pieces and then writes in one step. Pieces stay in memory: a client that disconnects leaves nothing on disk,
// and idle uploads are dropped when space is needed. Pieces come in order; a repeated piece counts once.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";

interface Upload {
  readonly pieces: Uint8Array[];
  size: number;
  touchedAt: number;
}

export class Uploads {
  private readonly held = new Map<string, Upload>();
  private bytes = 0;

  constructor(private readonly clock: Clock) {}

  /** Returns the size so far. */
  stage(caller: Caller, { upload: id, offset, piece }: { upload: string; offset: number; piece: Uint8Array }): number {
    const key = keyOf(caller, id);
    const upload = this.held.get(key) ?? this.begin(key, offset);
    upload.touchedAt = this.clock.mono();
    if (offset + piece.byteLength <= upload.size) return upload.size;
    if (offset !== upload.size)
      throw new SysError("EINVAL", `the piece at ${offset} does not follow the ${upload.size} bytes before`);
    if (upload.size + piece.byteLength > LIMITS.fileBytesMax) {
      this.drop(key);
      throw new SysError("EFBIG", `files may have ${LIMITS.fileBytesMax / 1024 / 1024} MiB`);
    }
    this.makeRoom(piece.byteLength, key);
    upload.pieces.push(piece);
    upload.size += piece.byteLength;
    this.bytes += piece.byteLength;
    return upload.size;
  }

  content(caller: Caller, id: string): Uint8Array {
    const upload = this.held.get(keyOf(caller, id));
    if (upload === undefined) throw gone();
    return Buffer.concat(upload.pieces);
  }

  forget(caller: Caller, id: string): void {
    this.drop(keyOf(caller, id));
  }

  private begin(key: string, offset: number): Upload {
    if (offset !== 0) throw gone();
    const upload = { pieces: [], size: 0, touchedAt: 0 };
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
    this.bytes -= this.held.get(key)?.size ?? 0;
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
