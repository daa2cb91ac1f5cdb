// /dev: what every program expects to be there. What never ends on Linux ends here after so much, because nobody here can stop reading
// half-way; a terminal belongs to whoever sits at it and is not reached through a file.

import type { Caller } from "../src/abi/identity.ts";
import type { RandomBytes } from "../src/abi/ids.ts";
import { need, READ, WRITE } from "./access.ts";
import { FileError, refused } from "./error.ts";
import type { Entry, FileSystem, ReadOptions, ReadResult, ResolvedPath, Stat } from "./filesystem.ts";
import { base } from "./path.ts";

const ENDLESS_BYTES = 64 * 1024;

interface Device {
  readonly mode: number;
  /** Null where there is nothing to read. */
  readonly bytes: ((length: number) => Uint8Array) | null;
}

export function devFs(random: RandomBytes): FileSystem {
  return new DevFs(
    new Map<string, Device>([
      ["null", { mode: 0o666, bytes: null }],
      ["zero", { mode: 0o666, bytes: (length) => new Uint8Array(length) }],
      ["random", { mode: 0o444, bytes: random }],
      ["urandom", { mode: 0o444, bytes: random }],
      ["tty", { mode: 0o666, bytes: null }],
    ]),
  );
}

class DevFs implements FileSystem {
  constructor(private readonly devices: ReadonlyMap<string, Device>) {}

  async stat(_caller: Caller, path: ResolvedPath): Promise<Stat> {
    if (path === "/") return { ...ROOTS, kind: "directory", mode: 0o755 };
    return statOf(this.device(path));
  }

  async list(): Promise<readonly Entry[]> {
    return [...this.devices].map(([name, device]) => ({ name, stat: statOf(device) }));
  }

  async read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const device = this.device(path);
    need(caller, statOf(device), READ, path);
    needNoTerminal(path);
    const end = device.bytes === null ? 0 : ENDLESS_BYTES;
    const length = Math.max(0, Math.min(bytesMax, end - offset));
    return { bytes: device.bytes?.(length) ?? new Uint8Array(), eof: offset + length >= end, version: ROOTS.version };
  }

  async write(caller: Caller, path: ResolvedPath): Promise<{ readonly version: string }> {
    if (!this.devices.has(base(path))) throw new FileError("EPERM", path);
    need(caller, statOf(this.device(path)), WRITE, path);
    needNoTerminal(path);
    return { version: ROOTS.version };
  }

  readonly remove = refused;
  readonly rename = refused;
  readonly mkdir = refused;
  readonly link = refused;
  readonly setattr = refused;

  private device(path: string): Device {
    const device = this.devices.get(base(path));
    if (device === undefined) throw new FileError("ENOENT", path);
    return device;
  }
}

const ROOTS = { uid: 0, gid: 0, size: 0, mtimeMs: 0, version: "0" } as const;

function statOf({ mode }: Device): Stat {
  return { ...ROOTS, kind: "file", mode, contentType: "application/octet-stream" };
}

function needNoTerminal(path: string): void {
  if (base(path) === "tty") throw new FileError("EIO", path, "no terminal is reached from here");
}
