// /dev: null, zero, random, urandom, tty. Readers read to the end of a file, so endless devices fail after a fixed number of bytes. /dev/tty
// is listed but inaccessible.

import type { Caller } from "../../src/abi/identity.ts";
import type { RandomBytes } from "../../src/abi/ids.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import { need, READ, WRITE } from "../access.ts";
import { FileError, refused } from "../error.ts";
import type { Entry, FileSystem, ReadOptions, ReadResult, ResolvedPath, Stat } from "../filesystem.ts";
import { base } from "../path.ts";

const ENDLESS_BYTES = 64 * 1024;

interface Device {
  readonly mode: number;
  /** Null if there is nothing to read. */
  readonly bytes: ((length: number) => Uint8Array) | null;
}

export function devFs(random: RandomBytes, sinceMs: number): FileSystem {
  return new DevFs(
    new Map<string, Device>([
      ["null", { mode: 0o666, bytes: null }],
      ["zero", { mode: 0o666, bytes: (length) => new Uint8Array(length) }],
      ["random", { mode: 0o444, bytes: random }],
      ["urandom", { mode: 0o444, bytes: random }],
      ["tty", { mode: 0o666, bytes: null }],
    ]),
    sinceMs,
  );
}

/** Devices have no versions. */
const VERSION = "0";

class DevFs implements FileSystem {
  constructor(
    private readonly devices: ReadonlyMap<string, Device>,
    private readonly sinceMs: number,
  ) {}

  async stat(_caller: Caller, path: ResolvedPath): Promise<Stat> {
    if (path === "/") return { ...this.roots, kind: "directory", mode: 0o755 };
    return this.statOf(this.device(path));
  }

  async list(): Promise<readonly Entry[]> {
    return [...this.devices].map(([name, device]) => ({ name, stat: this.statOf(device) }));
  }

  async read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const device = this.device(path);
    need(caller, this.statOf(device), READ, path);
    needNoTerminal(path);
    if (device.bytes === null) return { bytes: new Uint8Array(), eof: true, version: VERSION };
    if (offset >= ENDLESS_BYTES) throw new FileError("EFBIG", path, endless(ENDLESS_BYTES));
    const bytes = device.bytes(Math.min(bytesMax, ENDLESS_BYTES - offset));
    return { bytes, eof: false, version: VERSION };
  }

  async write(caller: Caller, path: ResolvedPath): Promise<{ readonly version: string }> {
    if (!this.devices.has(base(path))) throw new FileError("EPERM", path);
    need(caller, this.statOf(this.device(path)), WRITE, path);
    needNoTerminal(path);
    return { version: VERSION };
  }

  readonly remove = refused;
  readonly rename = refused;
  readonly mkdir = refused;
  readonly link = refused;
  readonly setattr = refused;

  private get roots() {
    return { uid: 0, gid: 0, size: 0, mtimeMs: this.sinceMs, version: VERSION } as const;
  }

  private statOf({ mode }: Device): Stat {
    return { ...this.roots, kind: "file", mode, contentType: "application/octet-stream" };
  }

  private device(path: string): Device {
    const device = this.devices.get(base(path));
    if (device === undefined) throw new FileError("ENOENT", path);
    return device;
  }
}

function endless(bytes: number): string {
  return `endless device, cut after ${sizeText(bytes)}`;
}

function needNoTerminal(path: string): void {
  if (base(path) === "tty") throw new FileError("EIO", path, "no terminal available here");
}
