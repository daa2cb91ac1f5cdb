// The working tree of a home or workspace, open to any editor and git. A change is one commit with its author, and is undone if it cannot
// be committed. Edits made outside gsv are committed as the owner's. Before the first change there are only plain files; without git it
// stays that way.

import { existsSync, mkdirSync, readdirSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { isGits, isOrdersToGit } from "../abi/repo.ts";
import type { Clock } from "../lib/clock.ts";
import { trailersOf } from "./file-steps.ts";
import type { Git } from "./git.ts";
import { isIndexBroken, isOnMain } from "./health.ts";
import { diskNow } from "./locks.ts";
import { isEditorTemporary } from "./names.ts";
import { commitQuickly } from "./quick-commit.ts";
import { completeRepository, layRepository, Repository, TREE_CONFIG } from "./repository.ts";

/** Old versions are packed from time to time: each commit stores the whole tree. */
const COMMITS_BEFORE_PACKING = 500;
/** A file unchanged for this long is assumed complete. */
const STILL_MS = 150;
const OWN_CHANGES_REMEMBERED = 1000;
/** Files of an unfinished operation of another git: a commit would end it. */
const IN_PROGRESS = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
/** Git's own limits. */
const ATTRIBUTES_BYTES_MAX = 1024 * 1024;
const ATTRIBUTES_LINE_MAX = 2048;
/** Bytes are stored unchanged, whatever attributes the tree sets. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding !diff !merge\n";

export interface Change {
  /** Account name. */
  readonly author: string;
  readonly message: string;
  /** The process that made the change. */
  readonly by?: string | undefined;
}

export interface Done<T> {
  readonly value: T;
  readonly undo: () => Promise<void>;
  /** Changed files, relative to the tree. */
  readonly paths: readonly string[];
}

export interface TreeOptions {
  readonly owner: string;
  readonly directory: string;
  /** Versioned directories; null for all. */
  readonly tops: readonly string[] | null;
  readonly scratch: string;
  readonly findGit: () => Git | null;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Called once, when the tree is versioned. */
  readonly onReady: () => void;
}

export class VersionedTree {
  readonly directory: string;
  readonly repository: Repository;
  private prepared: Promise<void> | null = null;
  private cleared = false;
  private commits = 0;
  /** Files as gsv wrote them last: the watcher ignores these. */
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

  /** A private directory on the same disk, empty at first. */
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
      await this.checkIdle();
      const { value, undo, paths } = await work();
      try {
        await this.commit(change, paths);
      } catch (error) {
        await undo();
        // Otherwise the next commit would contain it.
        await this.stage(paths).catch(() => undefined);
        throw error;
      }
      return value;
    });
  }

  /** Commits edits made outside gsv: these files, or all complete ones. False if a file is still being written. */
  record(paths?: readonly string[]): Promise<boolean> {
    return this.repository.turn(async () => {
      if (!this.versioned || !existsSync(this.directory)) return true;
      await this.ready();
      await this.checkIdle();
      if (paths === undefined) return await this.commitComplete(null);
      const wanted = new Set(paths);
      await this.take(
        (await this.repository.differing()).filter((path) => wanted.has(path)),
        null,
      );
      return true;
    });
  }

  /** True if a file is as gsv left it. */
  async isOwn(path: string): Promise<boolean> {
    return this.own.has(path) && this.own.get(path) === (await fingerprint(join(this.directory, path)));
  }

  /** Call within a turn. Creates the repository if needed and commits earlier edits. */
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
    this.repository.checkHealth();
    // After a restore: backups contain no index.
    if (!existsSync(join(gitDir, "index"))) await this.makeIndex();
    if (this.busy() !== null) return;
    await this.repairIndex();
    const isEmpty = isNew && readdirSync(directory).every(isGits);
    if (!isEmpty) await this.commitComplete(isNew ? "begin" : null);
  }

  private async commitComplete(why: string | null): Promise<boolean> {
    const paths = await this.repository.differing();
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

  private async checkIdle(): Promise<void> {
    this.repository.checkHealth();
    const busy = this.busy();
    if (busy !== null) throw busy;
    await this.repairIndex();
  }

  /** Rebuilds a broken index: it contains nothing that is not in the newest version and the files. */
  private async repairIndex(): Promise<void> {
    const gitDir = join(this.directory, ".git");
    if (!isIndexBroken(gitDir)) return;
    rmSync(join(gitDir, "index"));
    await this.makeIndex();
    this.options.log(`${gitDir}/index was damaged: rebuilt from the newest version`);
  }

  private async makeIndex(): Promise<void> {
    if ((await this.repository.head()) !== null) await this.repository.insist(["read-tree", "HEAD"]);
  }

  /** Why no commit is possible now: it would become part of an unfinished merge, or be lost when HEAD returns to main. */
  private busy(): SysError | null {
    const { directory } = this;
    if (IN_PROGRESS.some((name) => existsSync(join(directory, ".git", name))))
      return new SysError("EAGAIN", `a merge or rebase is in progress in ${directory}; nothing was changed`, [
        "finish it there with git, then try again",
      ]);
    if (isOnMain(join(directory, ".git"))) return null;
    return new SysError("EAGAIN", `HEAD of ${directory} is not on main; nothing was changed`, [
      "run git switch main there, then try again",
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

  /** Plain files, existing or deleted, in a versioned directory and not in a nested repository. */
  private async isEdit(path: string): Promise<boolean> {
    const names = path.split("/");
    const { tops } = this.options;
    if (tops !== null && (names.length < 2 || !tops.includes(names[0] ?? ""))) return false;
    if (names.some(isGits) || isEditorTemporary(basename(path))) return false;
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

  private async commit({ author, message, by }: Change, paths: readonly string[]): Promise<void> {
    const { repository } = this;
    const listed = [...new Set(paths)];
    if (listed.length === 0) return;
    const at = { name: author, at: this.options.clock.now() };
    const parts = [oneLine(message), ...(by === undefined ? [] : [trailersOf([by])])];
    const text = parts.map((part) => `${part}\n`).join("\n");
    const quick = {
      directory: this.directory,
      author: at,
      message: text,
      paths: listed,
      attributes: ATTRIBUTES,
      isBusy: () => this.busy() !== null,
      freeLocks: () => repository.freeLocks(),
    };
    if (!(await commitQuickly(quick, this.options.clock))) {
      await this.stage(listed);
      const verbatim = ["commit", "-q", "--no-verify", "--cleanup=verbatim", "-F", "-"];
      // 1: nothing to commit.
      await repository.insist(verbatim, { author: at, also: [1], stdin: text });
    }
    for (const path of listed) await this.remember(path);
    if (++this.commits % COMMITS_BEFORE_PACKING === 0) await repository.run(["gc", "-q", "--force"]);
  }

  private async stage(paths: readonly string[]): Promise<void> {
    const stdin = paths.map((path) => `${path}\0`).join("");
    await this.repository.insist(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], { stdin });
  }

  private async remember(path: string): Promise<void> {
    this.own.delete(path);
    this.own.set(path, await fingerprint(join(this.directory, path)));
    const [oldest] = this.own.keys();
    if (this.own.size > OWN_CHANGES_REMEMBERED && oldest !== undefined) this.own.delete(oldest);
  }
}

/** Git refuses to fetch a history with such a file, so it must not be committed. */
async function isHarmless(path: string, stat: Stats): Promise<boolean> {
  if (basename(path) !== ".gitattributes" || !stat.isFile() || stat.size > ATTRIBUTES_BYTES_MAX) return false;
  return (await readFile(path))
    .toString("latin1")
    .split("\n")
    .every((line) => line.length < ATTRIBUTES_LINE_MAX);
}

async function fingerprint(path: string): Promise<string> {
  const stat = await lstat(path, { bigint: true }).catch(() => null);
  return stat === null ? "gone" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, "?").slice(0, 500);
}
