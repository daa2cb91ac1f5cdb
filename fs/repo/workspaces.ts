// `/workspaces/{id}`: trees in gsv's home, with one commit per write, and host directories. Visible to the owner and the owner's agents only.
// Archived ones are read-only. Processes change a workspace's context, and files on the host, only in an approved call. Git's own files in
// a host directory are never changed.

import type { Caller } from "../../src/abi/identity.ts";
import { isGits } from "../../src/abi/repo.ts";
import { isInside } from "../../src/lib/inside.ts";
import { foldName } from "../../src/lib/text/fold-name.ts";
import type { Aliases } from "../alias.ts";
import { Jail } from "../disk/jail.ts";
import { FileError } from "../error.ts";
import {
  type Attributes,
  BARE_DIRECTORY,
  type Entry,
  type FileSystem,
  type ReadOptions,
  type ReadResult,
  type RemoveOptions,
  type ResolvedPath,
  type Stat,
  type WriteOptions,
} from "../filesystem.ts";
import { split } from "../path.ts";
import type { Place, Places, Tree, TreeAccount } from "./places.ts";
import { treesFs } from "./repo.ts";

export interface MountedWorkspace {
  readonly id: string;
  readonly archived: boolean;
  /** Owner of the files. */
  readonly owner: TreeAccount;
  /** The host directory; null for a tree in gsv's home. */
  readonly directory: string | null;
}

export interface WorkspacesOptions {
  /** Null if the caller may not see it. */
  readonly find: (caller: Caller, id: string) => Promise<MountedWorkspace | null>;
  /** Names in the listing. */
  readonly list: (caller: Caller) => Promise<readonly string[]>;
  /** For the real paths of host directories. */
  readonly aliases: Aliases;
  readonly directoryOf: (workspace: MountedWorkspace) => string;
  readonly treeOf: (workspace: MountedWorkspace) => Promise<Tree>;
  /** Mounts a host directory. */
  readonly disk: (workspace: MountedWorkspace, directory: string) => FileSystem;
}

/** Context for every agent in a workspace. */
export const TOLD = ".gsv";
const ROOT = "/workspaces";

/** Gets full paths, starting with `/workspaces`. `sinceMs`: mtime of that directory. */
export function workspacesFs(options: WorkspacesOptions, sinceMs = 0): FileSystem {
  return new WorkspacesFs(options, sinceMs);
}

interface Way {
  readonly fs: FileSystem;
  readonly path: ResolvedPath;
  /** Prefix for errors of the filesystem. */
  readonly above: string;
}

class WorkspacesFs implements FileSystem {
  private readonly disks = new Map<string, FileSystem>();

  constructor(
    private readonly options: WorkspacesOptions,
    private readonly sinceMs: number,
  ) {}

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    if (path === ROOT) return { ...BARE_DIRECTORY, mtimeMs: this.sinceMs };
    return this.look(caller, path, async (way) => fenced(await way.fs.stat(caller, way.path), way.above));
  }

  async along(caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat | null>> {
    const workspace = await this.workspaceAt(caller, path).catch(() => null);
    if (workspace === null) return new Map();
    const { fs, path: below, above } = this.wayTo(workspace, path);
    const along = (await fs.along?.(caller, below)) ?? new Map<string, Stat | null>();
    const placed = (at: string) => (at === "/" ? above : above + at);
    return new Map([...along].map(([at, stat]) => [placed(at), stat && fenced(stat, above)]));
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    if (path !== ROOT) return this.look(caller, path, (way) => way.fs.list(caller, way.path));
    const entries: Entry[] = [];
    for (const name of await this.options.list(caller)) {
      // Skip a workspace whose directory is gone.
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
    // A parent directory of the approved file.
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
      throw isNew ? new FileError("EPERM", path, "to create a workspace: gsv workspace create") : error;
    });
    if (names.length === 0) throw new FileError("EBUSY", path);
    if (workspace.archived) throw new FileError("EROFS", path, "this workspace is archived");
    const isGuarded = workspace.directory !== null || foldName(names[0] ?? "") === TOLD;
    if (isGuarded && caller.kind !== "person" && !caller.approved && !allowed)
      throw new FileError("EPERM", path, "needs approval: use the tool that asks for it");
    if (workspace.directory !== null && names.some(isGits))
      throw new FileError("EPERM", path, "this name is reserved by git");
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

/** A symlink must not lead out of its own workspace. */
function fenced(stat: Stat, fence: string): Stat {
  return stat.fence === undefined ? stat : { ...stat, fence };
}

async function onTheWay<T>(way: Way, work: (way: Way) => Promise<T>): Promise<T> {
  try {
    return await work(way);
  } catch (error) {
    throw error instanceof FileError && !error.path.startsWith(ROOT) ? error.under(way.above) : error;
  }
}

/** All paths of one workspace are in its tree. */
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
    throw new FileError("EROFS", path, "read-only: git is not installed");
  }

  async withTops(_path: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
    return entries;
  }

  async needTreeless(): Promise<void> {}

  async emptyTop(): Promise<null> {
    return null;
  }

  treeOf(): Promise<Tree> {
    return this.options.treeOf(this.workspace);
  }
}

async function nothing(_caller: Caller, path: string): Promise<never> {
  throw new FileError("ENOENT", path);
}

/** The mount beneath a workspace tree: empty. */
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
