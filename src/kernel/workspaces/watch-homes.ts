// Watches the trees of homes and commits edits by people, once a file stops changing. Watches nothing until a home has a tree. Ignores gsv's own
// writes, which it recognizes by the file's state.

import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { FSWatcher } from "chokidar";
import { SysError } from "../../abi/errno.ts";
import { isGits, VERSIONED } from "../../abi/repo.ts";
import type { Clock } from "../../lib/clock.ts";
import type { VersionedTree } from "../../repos/tree.ts";

/** A file is complete if it has not changed for this long. */
const STILL_MS = 150;
const LOOK_MS = 40;
const AGAIN_MS = 200;
/** Deeper changes, and those in more homes, are committed with the next write. */
const DEPTH_MAX = 12;
const HOMES_MAX = 200;
/** With more pending files, check the whole tree instead. */
const EDITS_MAX = 1000;

export interface WatchOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly treeOf: (owner: string) => Promise<Pick<VersionedTree, "record" | "isOwn">>;
  readonly onFault: (error: unknown) => void;
}

export class HomeWatch {
  private readonly watchers = new Map<string, Promise<FSWatcher>>();
  /** Changed files to check, by owner. */
  private readonly edits = new Map<string, Set<string>>();
  private working: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(private readonly options: WatchOptions) {}

  /** Watches every home with a tree. Resolves when earlier edits are committed and watching has begun. */
  async begin(): Promise<void> {
    const { directory } = this.options;
    const owners = existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith(".")) : [];
    for (const owner of owners) await this.add(owner);
    await this.working;
  }

  async add(owner: string): Promise<void> {
    const tree = join(this.options.directory, owner, "home");
    if (this.closed || this.watchers.has(owner) || this.watchers.size >= HOMES_MAX || !existsSync(tree)) return;
    const watcher = this.start(tree);
    this.watchers.set(owner, watcher);
    await watcher.catch(this.options.onFault);
    this.record(owner, null);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const watcher of this.watchers.values()) await (await watcher.catch(() => null))?.close();
    await this.working;
  }

  private async start(tree: string): Promise<FSWatcher> {
    const { watch } = await import("chokidar");
    const tops = VERSIONED.map((top) => join(tree, top));
    const watcher = watch(tops, {
      ignoreInitial: true,
      followSymlinks: false,
      depth: DEPTH_MAX,
      ignored: (path) => isGits(basename(path)),
      awaitWriteFinish: { stabilityThreshold: STILL_MS, pollInterval: LOOK_MS },
      ignorePermissionErrors: true,
    });
    for (const event of ["add", "change", "unlink"] as const) watcher.on(event, (path) => this.seen(path));
    watcher.on("error", this.options.onFault);
    await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
    return watcher;
  }

  private seen(path: string): void {
    const [owner = "", , ...names] = relative(this.options.directory, path).split(sep);
    const waiting = this.edits.get(owner);
    const edits = waiting ?? new Set<string>();
    edits.add(names.join("/"));
    if (waiting !== undefined) return;
    this.edits.set(owner, edits);
    this.record(owner, edits);
  }

  /** One commit at a time; changes seen while waiting go into the same commit. */
  private record(owner: string, edits: ReadonlySet<string> | null): void {
    this.working = this.working
      .then(() => this.commit(owner, edits))
      .catch((error: unknown) => {
        // Another git is running; its result is found with the next change.
        if (!(error instanceof SysError) || error.code !== "EAGAIN") this.options.onFault(error);
      });
  }

  private async commit(owner: string, edits: ReadonlySet<string> | null): Promise<void> {
    if (edits !== null) this.edits.delete(owner);
    if (this.closed) return;
    const tree = await this.options.treeOf(owner);
    if (edits === null || edits.size > EDITS_MAX) {
      if (!(await tree.record())) this.options.clock.after(AGAIN_MS, () => this.record(owner, null));
      return;
    }
    const foreign: string[] = [];
    for (const path of edits) if (!(await tree.isOwn(path))) foreign.push(path);
    if (foreign.length > 0) await tree.record(foreign);
  }
}
