// A file of /etc generated from the account tables. Root may write the whole file; either all of it is valid or nothing changes. Mounted
// over the stored /etc.

import type { Caller } from "../../src/abi/identity.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Serial } from "../../src/lib/serial.ts";
import { need, READ, WRITE } from "../access.ts";
import { FileError, refused } from "../error.ts";
import type { Entry, FileSystem, ReadOptions, ReadResult, ResolvedPath, Stat, WriteOptions } from "../filesystem.ts";
import { textOf, versionOf } from "./synthetic.ts";

const BYTES_MAX = 1024 * 1024;

export interface AccountFile {
  readonly mode: number;
  /** Not readable by processes, not even as root. */
  readonly forPeople?: true;
  readonly text: () => Promise<string>;
  /** Applies the new text in one transaction; throws if it is invalid. */
  readonly replace: (caller: Caller, text: string) => Promise<void>;
}

export function etcFile(file: AccountFile, clock: Clock): FileSystem {
  return new EtcFile(file, clock);
}

class EtcFile implements FileSystem {
  private readonly serial = new Serial();

  constructor(
    private readonly file: AccountFile,
    private readonly clock: Clock,
  ) {}

  async stat(): Promise<Stat> {
    return this.statOf(await this.bytes());
  }

  async list(_caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    throw new FileError("ENOTDIR", path);
  }

  async read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const all = await this.bytes();
    need(caller, this.statOf(all), READ, path);
    if (this.file.forPeople && caller.kind !== "person") throw new FileError("EACCES", path);
    const bytes = new Uint8Array(all.subarray(offset, offset + bytesMax));
    return { bytes, eof: offset + bytes.byteLength >= all.length, version: versionOf(all) };
  }

  write(
    caller: Caller,
    path: ResolvedPath,
    bytes: Uint8Array,
    { at, ifVersion }: WriteOptions,
  ): Promise<{ readonly version: string }> {
    return this.serial.run(async () => {
      const now = await this.bytes();
      need(caller, this.statOf(now), WRITE, path);
      if (ifVersion !== undefined && ifVersion !== versionOf(now)) throw new FileError("ECONFLICT", path);
      const whole = at === "end" ? Buffer.concat([now, bytes]) : bytes;
      if (whole.byteLength > BYTES_MAX) throw new FileError("EFBIG", path);
      await this.file.replace(caller, textOf(whole, path));
      return { version: versionOf(await this.bytes()) };
    });
  }

  readonly remove = refused;
  readonly rename = refused;
  readonly mkdir = refused;
  readonly link = refused;
  readonly setattr = refused;

  private async bytes(): Promise<Buffer> {
    return Buffer.from(await this.file.text());
  }

  private statOf(bytes: Buffer): Stat {
    const { mode } = this.file;
    const mtimeMs = this.clock.now();
    const size = bytes.length;
    return { kind: "file", uid: 0, gid: 0, mode, size, mtimeMs, version: versionOf(bytes), contentType: "text/plain" };
  }
}
