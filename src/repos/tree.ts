// The repository of an account's home, or of a workspace: files in a working tree that any editor and any git can open. A change is one commit with its
// author; when it cannot be committed, it is taken back. What a person edits beside gsv is committed as theirs. A tree that nobody
// has versioned yet is plain files: the first change makes the repository. Without git only plain files are kept.

import { existsSync, mkdirSync, readdirSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { isGits, isOrdersToGit } from "../abi/repo.ts";
import type { Clock } from "../lib/clock.ts";
import type { Git } from "./git.ts";
import { diskNow } from "./locks.ts";
import { isDropping } from "./names.ts";
import { completeRepository, layRepository, Repository, TREE_CONFIG } from "./repository.ts";
import { isIndexBroken, isOnMain } from "./sound.ts";
import { madeBy } from "./steps.ts";

/** The weight of a whole index at every commit is why old versions are packed now and then. */
const COMMITS_BEFORE_PACKING = 500;
/** A file that has not changed for this long is whole. */
const STILL_MS = 150;
const OWN_CHANGES_REMEMBERED = 1000;
/** Files that another git has in its hands: a merge would become ours. */
const UNDER_WAY = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
/** What git finds fault with is longer. */
const ATTRIBUTES_BYTES_MAX = 1024 * 1024;
const ATTRIBUTES_LINE_MAX = 2048;
/** Whatever a file in the tree says of others: their bytes are kept as they are. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding !diff !merge\n";

export interface Change {
  /** An account's name. */
  readonly author: string;
  readonly message: string;
  /** The process that makes it, where one does. */
  readonly by?: string | undefined;
}

export interface Done<T> {
  readonly value: T;
  /** Puts everything back as it was. */
  readonly undo: () => Promise<void>;
  /** What differs now, from the tree's directory; files only. */
  readonly paths: readonly string[];
}

export interface TreeOptions {
  readonly owner: string;
  readonly directory: string;
  /** The directories whose files are versioned; null is all of it. */
  readonly tops: readonly string[] | null;
  readonly scratch: string;
  readonly findGit: () => Git | null;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Told once: from now on the tree is versioned. */
  readonly onReady: () => void;
}

export class VersionedTree {
  readonly directory: string;
  readonly repository: Repository;
  private prepared: Promise<void> | null = null;
  private cleared = false;
  private commits = 0;
  /** How a file was when gsv wrote it last: the watcher has nothing to tell of that. */
  private readonly own = new Map<string, string>();

  constructor(private readonly options: TreeOptions) {
    const { directory, findGit, clock, log } = options;
    this.directory = directory;
    const place = { cwd: directory, gitDir: join(directory, ".git"), hasFiles: true };
    this.repository = new Repository(place, findGit, clock, log);
  }

  get versioned(): boolean {
    return this.options.findGit() !== null;
  }

  /** A private directory on the same disk, for files on their way into the tree or out of it. Empty at first. */
  scratch(): string {
    const { scratch } = this.options;
    if (!this.cleared) rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true, mode: 0o700 });
    this.cleared = true;
    return scratch;
  }

  change<T>(change: Change, work: () => Promise<Done<T>>): Promise<T> {
    return this.repository.turn(async () => {
      if (!this.versioned) {
        mkdirSync(this.directory, { recursive: true, mode: 0o700 });
        return (await work()).value;
      }
      await this.ready();
      await this.needIdle();
      const { value, undo, paths } = await work();
      try {
        await this.commit(change, paths);
      } catch (error) {
        await undo();
        // Or the next commit would carry it.
        await this.stage(paths).catch(() => undefined);
        throw error;
      }
      return value;
    });
  }

  /** Commits what was edited beside gsv: those files, or whatever differs and is whole. False when something is still being written. */
  record(paths?: readonly string[]): Promise<boolean> {
    return this.repository.turn(async () => {
      if (!this.versioned || !existsSync(this.directory)) return true;
      await this.ready();
      await this.needIdle();
      if (paths === undefined) return await this.takeWhole(null);
      const wanted = new Set(paths);
      await this.take(
        (await this.differing()).filter((path) => wanted.has(path)),
        null,
      );
      return true;
    });
  }

  /** Whether a file is as gsv left it. */
  async isOwn(path: string): Promise<boolean> {
    return this.own.has(path) && this.own.get(path) === (await likeness(join(this.directory, path)));
  }

  /** From inside a turn: the repository is there, and what was edited before has its own commit. */
  ready(): Promise<void> {
    this.prepared ??= this.prepare().then(this.options.onReady, (error: unknown) => {
      this.prepared = null;
      throw error;
    });
    return this.prepared;
  }

  private async prepare(): Promise<void> {
    const { directory } = this;
    const gitDir = join(directory, ".git");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const isNew = !existsSync(join(gitDir, "HEAD"));
    if (isNew) layRepository(gitDir, TREE_CONFIG);
    completeRepository(gitDir, TREE_CONFIG);
    this.repository.freeLocks();
    mkdirSync(join(gitDir, "info"), { recursive: true });
    if (!existsSync(join(gitDir, "info", "attributes"))) writeFileSync(join(gitDir, "info", "attributes"), ATTRIBUTES);
    this.repository.needSound();
    // After a restore: a backup holds files and versions, no index.
    if (!existsSync(join(gitDir, "index"))) await this.makeIndex();
    if (this.busy() !== null) return;
    await this.needIndex();
    const isEmpty = isNew && readdirSync(directory).every(isGits);
    if (!isEmpty) await this.takeWhole(isNew ? "begin" : null);
  }

  private async takeWhole(why: string | null): Promise<boolean> {
    const paths = await this.differing();
    if (paths.length === 0) return true;
    const now = diskNow(this.scratch());
    const whole: string[] = [];
    for (const path of paths) {
      const stat = await lstat(join(this.directory, path)).catch(() => null);
      if (stat === null || now - stat.mtimeMs >= STILL_MS) whole.push(path);
    }
    await this.take(whole, why);
    return whole.length === paths.length;
  }

  private async needIdle(): Promise<void> {
    this.repository.needSound();
    const busy = this.busy();
    if (busy !== null) throw busy;
    await this.needIndex();
  }

  /** It holds nothing that the newest version and the files do not tell. */
  private async needIndex(): Promise<void> {
    const gitDir = join(this.directory, ".git");
    if (!isIndexBroken(gitDir)) return;
    rmSync(join(gitDir, "index"));
    await this.makeIndex();
    this.options.log(`${gitDir}/index was damaged: made anew from the newest version`);
  }

  private async makeIndex(): Promise<void> {
    if ((await this.repository.head()) !== null) await this.repository.insist(["read-tree", "HEAD"]);
  }

  /** Why nothing may be committed now: it would become part of somebody's merge, or be lost when they go back to main. */
  private busy(): SysError | null {
    const { directory } = this;
    if (UNDER_WAY.some((name) => existsSync(join(directory, ".git", name))))
      return new SysError("EAGAIN", `a merge or rebase is under way in ${directory}: nothing was changed`, [
        "finish it there with git, then try again",
      ]);
    if (isOnMain(join(directory, ".git"))) return null;
    return new SysError("EAGAIN", `HEAD of ${directory} is not on main: nothing was changed`, [
      "git switch main there, then try again",
    ]);
  }

  private async take(paths: readonly string[], why: string | null): Promise<void> {
    const taken: string[] = [];
    for (const path of paths) if (await this.isEdit(path)) taken.push(path);
    const [first] = taken;
    if (first === undefined) return;
    const what = taken.length === 1 ? `edit ${first}` : `edit ${taken.length} files`;
    await this.commit({ author: this.options.owner, message: why ?? what }, taken);
  }

  /** Plain files, there or gone, that lie where versions are kept and in nobody else's repository. */
  private async isEdit(path: string): Promise<boolean> {
    const names = path.split("/");
    const { tops } = this.options;
    if (tops !== null && (names.length < 2 || !tops.includes(names[0] ?? ""))) return false;
    if (names.some(isGits) || isDropping(basename(path))) return false;
    for (let depth = 1; depth < names.length; depth++) {
      const above = join(this.directory, ...names.slice(0, depth));
      if (existsSync(join(above, ".git"))) return false;
      const stat = await lstat(above).catch(() => null);
      if (stat !== null && !stat.isDirectory()) return false;
    }
    const stat = await lstat(join(this.directory, path)).catch(() => null);
    if (stat === null || !names.some(isOrdersToGit)) return stat === null || stat.isFile();
    return names.findIndex(isOrdersToGit) === names.length - 1 && (await isHarmless(join(this.directory, path), stat));
  }

  /** Less what the person told git to ignore. */
  private async differing(): Promise<string[]> {
    const flags = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];
    const { text } = await this.repository.insist(["status", ...flags]);
    return text
      .split("\0")
      .map((line) => line.slice(3))
      .filter((path) => path !== "" && !path.endsWith("/"));
  }

  private async commit({ author, message, by }: Change, paths: readonly string[]): Promise<void> {
    const { repository } = this;
    const listed = [...new Set(paths)];
    if (listed.length === 0) return;
    await this.stage(listed);
    const at = { name: author, at: this.options.clock.now() };
    // 1: nothing differs from what is there.
    const said = ["-m", oneLine(message), ...(by === undefined ? [] : ["-m", madeBy([by])])];
    await repository.insist(["commit", "-q", "--no-verify", "--cleanup=verbatim", ...said], {
      author: at,
      also: [1],
    });
    for (const path of listed) await this.remember(path);
    if (++this.commits % COMMITS_BEFORE_PACKING === 0) await repository.run(["gc", "-q"]);
  }

  private async stage(paths: readonly string[]): Promise<void> {
    const stdin = paths.map((path) => `${path}\0`).join("");
    await this.repository.insist(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], { stdin });
  }

  private async remember(path: string): Promise<void> {
    this.own.delete(path);
    this.own.set(path, await likeness(join(this.directory, path)));
    const [oldest] = this.own.keys();
    if (this.own.size > OWN_CHANGES_REMEMBERED && oldest !== undefined) this.own.delete(oldest);
  }
}

/** What git finds fault with makes a history impossible to fetch, so it is never made part of one. */
async function isHarmless(path: string, stat: Stats): Promise<boolean> {
  if (basename(path) !== ".gitattributes" || !stat.isFile() || stat.size > ATTRIBUTES_BYTES_MAX) return false;
  return (await readFile(path))
    .toString("latin1")
    .split("\n")
    .every((line) => line.length < ATTRIBUTES_LINE_MAX);
}

async function likeness(path: string): Promise<string> {
  const stat = await lstat(path, { bigint: true }).catch(() => null);
  return stat === null ? "gone" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, "?").slice(0, 500);
}
