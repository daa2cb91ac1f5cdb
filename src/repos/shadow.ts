// Versions of a directory of this machine, kept beside it in gsv's own home: git's files are all here, the directory is only read, and
// whatever git its owner has there is never touched, not even its index. Kept is what its .gitignore does not name, in files that are not
// too big and in no repository of their own; what is left out is said. A directory that is too big as a whole is refused.

import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { isGits } from "../abi/repo.ts";
import type { Clock } from "../lib/clock.ts";
import type { Git } from "./git.ts";
import { layRepository, Repository } from "./repository.ts";
import { headAt } from "./sound.ts";
import { madeBy } from "./steps.ts";

const CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsymlinks = true\n\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n";
/** Bytes are kept as they are, whatever a file in the directory says. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding !diff !merge\n";
/** What is made from other things, and much. */
const EXCLUDED = "node_modules/\n.venv/\n__pycache__/\n.DS_Store\n";
const LINKS = ["-c", "core.symlinks=true"];
/** Several files are on disk with the last of them, not one after the other. */
const FEW = ["-c", "core.fsyncMethod=batch"];
/** Many go into one file of git, which takes a tenth of the time that a file each does; git does not do both. */
const MANY = ["-c", "core.bigFileThreshold=1"];
/** Somebody waits for the call that comes after it. */
const PATIENCE_MS = 15_000;
const FILES_FEW = 100;
const COMMITS_BEFORE_TRIMMING = 200;
/** Of files that are neither everybody's to read nor programs of everybody's. */
const MODES = "gsv-modes.json";
const MODES_MAX = 20_000;
const USUAL_MODES = new Set([0o644, 0o755, 0o664, 0o775]);
const LIKENESSES_MAX = 20_000;

export interface Snapshot {
  /** Null while nothing was ever there. */
  readonly commit: string | null;
  readonly leftOut: readonly string[];
}

export interface ShadowOptions {
  readonly directory: string;
  readonly gitDir: string;
  readonly findGit: () => Git | null;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export class Shadow {
  readonly repository: Repository;
  private readonly likenesses = new Map<string, string>();
  private commits = 0;
  private tooBig: string | null = null;
  private unusual: Map<string, number> | null = null;

  constructor(private readonly options: ShadowOptions) {
    const { directory, gitDir, findGit, clock, log } = options;
    this.repository = new Repository({ cwd: directory, gitDir, hasFiles: true }, findGit, clock, log);
  }

  /** The directory as it is now, or those of its files alone; what differs from the version before was done by these processes. */
  snapshot(paths: readonly string[] | null, by: readonly string[]): Promise<Snapshot> {
    return this.repository.turn(async () => {
      await this.ready();
      const found = paths === null ? await this.differing() : await this.changedOf(paths);
      const leftOut: string[] = [];
      const kept: string[] = [];
      let bytes = 0;
      for (const path of found) {
        const stat = await lstat(join(this.options.directory, path)).catch(() => null);
        const why = stat === null ? null : refusalOf(path, stat);
        if (why === null) kept.push(path);
        else if (why !== "") leftOut.push(`${path} (${why})`);
        bytes += why === null ? (stat?.size ?? 0) : 0;
      }
      this.needFitting(kept.length, bytes);
      await this.commit(kept, by);
      return { commit: this.head(), leftOut };
    });
  }

  private head(): string | null {
    const head = headAt(this.options.gitDir);
    if (head === null) return null;
    if ("commit" in head) return head.commit;
    throw new SysError("EIO", `the versions of ${this.options.directory} are damaged: ${head.fault}`);
  }

  private async ready(): Promise<void> {
    const { directory, gitDir } = this.options;
    if (this.tooBig !== null) throw new SysError("EFBIG", this.tooBig);
    if (!existsSync(directory)) throw new SysError("ENOENT", `${directory} is gone`);
    if (!existsSync(join(gitDir, "HEAD"))) {
      this.repository.git();
      mkdirSync(gitDir, { recursive: true, mode: 0o700 });
      layRepository(gitDir, CONFIG);
    }
    mkdirSync(join(gitDir, "info"), { recursive: true });
    writeFileSync(join(gitDir, "config"), CONFIG);
    writeFileSync(join(gitDir, "info", "attributes"), ATTRIBUTES);
    writeFileSync(join(gitDir, "info", "exclude"), EXCLUDED);
    this.repository.freeLocks();
  }

  private async differing(): Promise<string[]> {
    const flags = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];
    const late = new AbortController();
    const cancel = this.options.clock.after(PATIENCE_MS, () => late.abort());
    const { signal } = late;
    try {
      const { text } = await this.repository.insist([...LINKS, "status", ...flags], { signal });
      // What ends in a slash is a repository of its own.
      return text
        .split("\0")
        .map((line) => line.slice(3))
        .filter((path) => path !== "" && !path.endsWith("/"));
    } catch (error) {
      if (!signal.aborted) throw error;
      throw this.giveUp("looking through it takes too long");
    } finally {
      cancel();
    }
  }

  private needFitting(files: number, bytes: number): void {
    if (files <= LIMITS.undoFilesMax && bytes <= LIMITS.undoBytesMax) return;
    throw this.giveUp(`${files} files of ${Math.round(bytes / 1024 / 1024)} MiB in all are too many to keep`);
  }

  /** Until the next kernel: it would take as long each time. */
  private giveUp(why: string): SysError {
    this.tooBig = `${this.options.directory}: ${why}`;
    return new SysError("EFBIG", this.tooBig, ["attach the directory of one project"]);
  }

  /** Those of them that were touched since they were last looked at. */
  private async changedOf(paths: readonly string[]): Promise<string[]> {
    const changed: string[] = [];
    for (const path of paths)
      if (this.likenesses.get(path) !== (await likeness(join(this.options.directory, path)))) changed.push(path);
    return changed;
  }

  private async commit(paths: readonly string[], by: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const { repository } = this;
    const stdin = paths.map((path) => `${path}\0`).join("");
    const how = paths.length > FILES_FEW ? MANY : FEW;
    await repository.insist([...LINKS, ...how, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
      stdin,
    });
    const author = { name: "gsv", at: this.options.clock.now() };
    const what = by.length === 0 ? ["-m", "outside of gsv"] : ["-m", "a call", "-m", madeBy(by)];
    // 1: nothing differs from what is there.
    await repository.insist([...LINKS, "commit", "-q", "--no-verify", "--cleanup=verbatim", ...what], {
      author,
      also: [1],
    });
    for (const path of paths) await this.remember(path);
    if (++this.commits % COMMITS_BEFORE_TRIMMING === 0) await this.trim();
  }

  private async remember(path: string): Promise<void> {
    this.keepMode(path);
    this.likenesses.delete(path);
    this.likenesses.set(path, await likeness(join(this.options.directory, path)));
    const [oldest] = this.likenesses.keys();
    if (this.likenesses.size > LIKENESSES_MAX && oldest !== undefined) this.likenesses.delete(oldest);
  }

  /** What a file that is gone was allowed to; git knows only whether it is a program. */
  modeOf(path: string): number | null {
    return this.modes().get(path) ?? null;
  }

  private keepMode(path: string): void {
    const stat = lstatSync(join(this.options.directory, path), { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return;
    const mode = stat.mode & 0o777;
    const modes = this.modes();
    const isUsual = USUAL_MODES.has(mode);
    if (isUsual ? !modes.has(path) : modes.get(path) === mode) return;
    if (isUsual) modes.delete(path);
    else modes.set(path, mode);
    const file = join(this.options.gitDir, MODES);
    writeFileSync(`${file}.new`, JSON.stringify([...modes].slice(-MODES_MAX)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  private modes(): Map<string, number> {
    this.unusual ??= modesIn(join(this.options.gitDir, MODES));
    return this.unusual;
  }

  /** Older versions go, so that it never grows for ever. */
  private async trim(): Promise<void> {
    const { repository } = this;
    const skip = String(LIMITS.undoVersionsKept);
    const { text } = await repository.run(["rev-list", "--max-count=1", `--skip=${skip}`, "HEAD"]);
    if (text.trim() !== "") writeFileSync(join(this.options.gitDir, "shallow"), text);
    await repository.run(["gc", "-q", "--prune=now"]);
  }
}

/** Why a file is not kept; nothing is said of what is no file. */
function refusalOf(path: string, stat: Awaited<ReturnType<typeof lstat>>): string | null {
  if (path.split("/").some(isGits)) return "";
  if (!stat.isFile() && !stat.isSymbolicLink()) return "";
  if (stat.size > LIMITS.undoFileBytesMax) return `bigger than ${LIMITS.undoFileBytesMax / 1024 / 1024} MiB`;
  return null;
}

async function likeness(path: string): Promise<string> {
  const stat = await lstat(path, { bigint: true }).catch(() => null);
  return stat === null ? "gone" : `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

function modesIn(file: string): Map<string, number> {
  try {
    return new Map(JSON.parse(readFileSync(file, "utf8")) as [string, number][]);
  } catch {
    return new Map();
  }
}
