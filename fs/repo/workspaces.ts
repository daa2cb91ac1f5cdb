// `/workspaces/{id}`: trees of gsv's own, one commit a write, and directories of this machine, in their place. Each is there for its owner
// and the owner's agents; for anybody else it is not there. An archived one is only read. What a workspace tells the agents in it, and
// everything on this machine, is changed by no process but in a call that a person has seen and allowed; what git keeps for itself in
// a directory of this machine is changed by nobody.

import type { Caller } from "../../src/abi/identity.ts";
import { isGits } from "../../src/abi/repo.ts";
import { isInside } from "../../src/lib/inside.ts";
import { foldName } from "../../src/lib/text/fold-name.ts";
import { BARE_DIRECTORY } from "../disk/bare.ts";
import { Jail } from "../disk/jail.ts";
import { FileError } from "../error.ts";
import type {
  Attributes,
  Entry,
  FileSystem,
  ReadOptions,
  ReadResult,
  RemoveOptions,
  ResolvedPath,
  Stat,
  WriteOptions,
} from "../filesystem.ts";
import { split } from "../path.ts";
import type { Place, Places, Tree, TreeAccount } from "./places.ts";
import { treesFs } from "./repo.ts";

export interface MountedWorkspace {
  readonly id: string;
  readonly archived: boolean;
  /** Whose the files are. */
  readonly owner: TreeAccount;
  /** Of this machine; null of a tree of gsv's own. */
  readonly directory: string | null;
}

export interface WorkspacesOptions {
  /** One that the caller may see, or null. */
  readonly find: (caller: Caller, id: string) => Promise<MountedWorkspace | null>;
  /** The names of those that a listing shows. */
  readonly list: (caller: Caller) => Promise<readonly string[]>;
  /** Where a tree of gsv's own lies. */
  readonly directoryOf: (workspace: MountedWorkspace) => string;
  readonly treeOf: (workspace: MountedWorkspace) => Promise<Tree>;
  /** A directory of this machine, mounted. */
  readonly disk: (workspace: MountedWorkspace, directory: string) => FileSystem;
}

/** What is told to every agent in a workspace. */
export const TOLD = ".gsv";
const ROOT = "/workspaces";

/** It sees its paths whole, from `/workspaces` on. */
export function workspacesFs(options: WorkspacesOptions): FileSystem {
  return new WorkspacesFs(options);
}

interface Way {
  readonly fs: FileSystem;
  readonly path: ResolvedPath;
  /** What errors of the filesystem lack. */
  readonly above: string;
}

class WorkspacesFs implements FileSystem {
  private readonly disks = new Map<string, FileSystem>();

  constructor(private readonly options: WorkspacesOptions) {}

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    if (path === ROOT) return BARE_DIRECTORY;
    return this.look(caller, path, (way) => way.fs.stat(caller, way.path));
  }

  async along(caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat>> {
    const workspace = await this.workspaceAt(caller, path).catch(() => null);
    if (workspace === null) return new Map();
    const { fs, path: below, above } = this.wayTo(workspace, path);
    const along = (await fs.along?.(caller, below)) ?? new Map<string, Stat>();
    return new Map([...along].map(([at, stat]) => [at === "/" ? above : above + at, stat]));
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    if (path !== ROOT) return this.look(caller, path, (way) => way.fs.list(caller, way.path));
    const entries: Entry[] = [];
    for (const name of await this.options.list(caller)) {
      // One whose directory is gone is not there, and the others are.
      const stat = await this.stat(caller, `${ROOT}/${name}` as ResolvedPath).catch(() => null);
      if (stat !== null) entries.push({ name, stat });
    }
    return entries;
  }

  read(caller: Caller, path: ResolvedPath, options: ReadOptions): Promise<ReadResult> {
    return this.look(caller, path, (way) => way.fs.read(caller, way.path, options));
  }

  write(caller: Caller, path: ResolvedPath, bytes: Uint8Array, options: WriteOptions) {
    return this.change(caller, path, (way) => way.fs.write(caller, way.path, bytes, options));
  }

  remove(caller: Caller, path: ResolvedPath, options: RemoveOptions): Promise<void> {
    return this.change(caller, path, (way) => way.fs.remove(caller, way.path, options));
  }

  async rename(caller: Caller, from: ResolvedPath, to: ResolvedPath): Promise<void> {
    if (split(from)[1] !== split(to)[1]) throw new FileError("EXDEV", to);
    await this.change(caller, from, (source) =>
      this.change(caller, to, (target) => source.fs.rename(caller, source.path, target.path)),
    );
  }

  mkdir(caller: Caller, path: ResolvedPath, options: { readonly mode?: number }): Promise<void> {
    // A directory on the way to the file that was allowed.
    const allowed = caller.allowed !== undefined && isInside(caller.allowed, path);
    return this.change(caller, path, (way) => way.fs.mkdir(caller, way.path, options), allowed);
  }

  link(caller: Caller, path: ResolvedPath, target: string): Promise<void> {
    return this.change(caller, path, (way) => way.fs.link(caller, way.path, target));
  }

  setattr(caller: Caller, path: ResolvedPath, attributes: Attributes): Promise<void> {
    return this.change(caller, path, (way) => way.fs.setattr(caller, way.path, attributes));
  }

  private async look<T>(caller: Caller, path: string, work: (way: Way) => Promise<T>): Promise<T> {
    return await onTheWay(this.wayTo(await this.workspaceAt(caller, path), path), work);
  }

  private async change<T>(
    caller: Caller,
    path: string,
    work: (way: Way) => Promise<T>,
    allowed = caller.allowed === path,
  ): Promise<T> {
    const [, , ...names] = split(path);
    if (path === ROOT) throw new FileError("EBUSY", path);
    const workspace = await this.workspaceAt(caller, path).catch((error: unknown) => {
      const isNew = error instanceof FileError && error.code === "ENOENT" && names.length === 0;
      throw isNew ? new FileError("EPERM", path, "workspaces are made by: gsv workspace create") : error;
    });
    if (names.length === 0) throw new FileError("EBUSY", path);
    if (workspace.archived) throw new FileError("EROFS", path, "this workspace is archived");
    const isGuarded = workspace.directory !== null || foldName(names[0] ?? "") === TOLD;
    if (isGuarded && caller.kind !== "person" && !caller.approved && !allowed)
      throw new FileError("EPERM", path, "a person has to allow it first: use the tool that asks");
    if (workspace.directory !== null && names.some(isGits))
      throw new FileError("EPERM", path, "git keeps this name for itself");
    return await onTheWay(this.wayTo(workspace, path), work);
  }

  private async workspaceAt(caller: Caller, path: string): Promise<MountedWorkspace> {
    const found = await this.options.find(caller, split(path)[1] ?? "");
    if (found === null) throw new FileError("ENOENT", path);
    return found;
  }

  private wayTo(workspace: MountedWorkspace, path: string): Way {
    const above = `${ROOT}/${workspace.id}`;
    const { directory } = workspace;
    if (directory === null) {
      return { fs: treesFs(NOTHING, new InTree(workspace, this.options)), path: path as ResolvedPath, above: "/" };
    }
    const known = this.disks.get(workspace.id);
    const fs = known ?? this.options.disk(workspace, directory);
    this.disks.set(workspace.id, fs);
    return { fs, path: (path.slice(above.length) || "/") as ResolvedPath, above };
  }
}

async function onTheWay<T>(way: Way, work: (way: Way) => Promise<T>): Promise<T> {
  try {
    return await work(way);
  } catch (error) {
    throw error instanceof FileError && !error.path.startsWith(ROOT) ? error.under(way.above) : error;
  }
}

/** Every path of one workspace is in its tree. */
class InTree implements Places {
  constructor(
    private readonly workspace: MountedWorkspace,
    private readonly options: Pick<WorkspacesOptions, "directoryOf" | "treeOf">,
  ) {}

  async lookAt(path: string): Promise<Place> {
    const { workspace } = this;
    const home = `${ROOT}/${workspace.id}`;
    const directory = this.options.directoryOf(workspace);
    return {
      ...{ path, rel: path.slice(home.length + 1), top: "", home },
      ...{ account: workspace.owner, directory, jail: new Jail(directory) },
    };
  }

  async changeAt(_caller: Caller, path: string): Promise<Place> {
    const place = await this.lookAt(path);
    if ((await this.treeOf()).versioned) return place;
    throw new FileError("EROFS", path, "read-only: there is no git on this machine");
  }

  async withTops(_path: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
    return entries;
  }

  async needTreeless(): Promise<void> {}

  treeOf(): Promise<Tree> {
    return this.options.treeOf(this.workspace);
  }
}

async function nothing(_caller: Caller, path: string): Promise<never> {
  throw new FileError("ENOENT", path);
}

/** Beneath a tree that is all of a workspace. */
const NOTHING: FileSystem = {
  stat: nothing,
  list: nothing,
  read: nothing,
  write: nothing,
  remove: nothing,
  rename: nothing,
  mkdir: nothing,
  link: nothing,
  setattr: nothing,
};
