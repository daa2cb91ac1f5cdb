// The host's files by their own paths, for the file tools. Agents may read attached directories and places approved for this call; they may
// change only the one file that a person approved. Git's own files are never changed. Names can always be looked up: policy rules need
// to know where they lead.

import type { Caller } from "../../src/abi/identity.ts";
import { isGits } from "../../src/abi/repo.ts";
import { isInside } from "../../src/lib/inside.ts";
import { FileError, refused } from "../error.ts";
import type {
  Entry,
  FileSystem,
  ReadOptions,
  ReadResult,
  RemoveOptions,
  ResolvedPath,
  Stat,
  WriteOptions,
} from "../filesystem.ts";
import { join, split } from "../path.ts";
import { type DiskOptions, diskFs } from "./disk.ts";

interface HostFsOptions {
  /** The visible part of the host, opened at first use. */
  readonly disk: () => FileSystem;
  /** Invisible paths: programs, sockets and keys. */
  readonly unseen: () => readonly string[];
  /** Directories attached for this caller. */
  readonly attached: (caller: Caller) => Promise<readonly string[]>;
}

interface WholeHostOptions extends Omit<HostFsOptions, "disk">, Pick<DiskOptions, "owner" | "clock" | "random"> {
  /** gsv's home, which is invisible. */
  readonly home: string;
}

export function wholeHostFs({ home, owner, clock, random, ...options }: WholeHostOptions): FileSystem {
  const disk = () => diskFs({ directory: "/", owner, shared: true, hidden: [home], clock, random });
  return new HostFs({ ...options, disk });
}

class HostFs implements FileSystem {
  private made: FileSystem | null = null;
  readonly rename = refused;
  readonly link = refused;
  readonly setattr = refused;

  constructor(private readonly options: HostFsOptions) {}

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    this.needThere(path);
    return await this.disk().stat(caller, path);
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    await this.needOpen(caller, path);
    const entries = await this.disk().list(caller, path);
    const unseen = this.options.unseen();
    return entries.filter(({ name }) => !unseen.includes(join(path, name)));
  }

  async read(caller: Caller, path: ResolvedPath, options: ReadOptions): Promise<ReadResult> {
    await this.needOpen(caller, path);
    return await this.disk().read(caller, path, options);
  }

  async write(caller: Caller, path: ResolvedPath, bytes: Uint8Array, options: WriteOptions) {
    this.needThere(path);
    needSeen(caller, path, caller.allowed === path);
    return await this.disk().write(caller, path, bytes, options);
  }

  async remove(caller: Caller, path: ResolvedPath, options: RemoveOptions): Promise<void> {
    this.needThere(path);
    // A parent directory created for the approved file may be removed again.
    needSeen(caller, path, caller.allowed !== undefined && isInside(caller.allowed, path));
    await this.disk().remove(caller, path, options);
  }

  async mkdir(caller: Caller, path: ResolvedPath, options: { readonly mode?: number }): Promise<void> {
    this.needThere(path);
    needSeen(caller, path, caller.allowed !== undefined && isInside(caller.allowed, path));
    await this.disk().mkdir(caller, path, options);
  }

  private disk(): FileSystem {
    this.made ??= this.options.disk();
    return this.made;
  }

  private needThere(path: string): void {
    if (this.options.unseen().some((directory) => isInside(path, directory))) throw new FileError("ENOENT", path);
  }

  private async needOpen(caller: Caller, path: string): Promise<void> {
    this.needThere(path);
    const { kind, allowed } = caller;
    if (kind === "person" || (allowed !== undefined && isInside(path, allowed))) return;
    if ((await this.options.attached(caller)).some((directory) => isInside(path, directory))) return;
    throw new FileError("EPERM", path, "needs approval: use the tool that asks for it");
  }
}

function needSeen({ kind }: Caller, path: string, isAllowed: boolean): void {
  if (kind !== "person" && !isAllowed)
    throw new FileError("EPERM", path, "needs approval: use the tool that asks for it");
  if (split(path).some(isGits)) throw new FileError("EPERM", path, "this name is reserved by git");
}
