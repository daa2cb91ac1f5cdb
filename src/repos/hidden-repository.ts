// Versions of a host directory, kept in a hidden repository in gsv's home. The directory is only read; the owner's own git in it, its index
// included, is never touched. Ignored files, large files and nested repositories are left out and listed. A directory that is too large
// as a whole is refused.

import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { isGits } from "../abi/repo.ts";
import type { Clock } from "../lib/clock.ts";
import { abortAfter } from "../lib/wait.ts";
import { trailersOf } from "./file-steps.ts";
import type { Git } from "./git.ts";
import { headAt } from "./health.ts";
import { layRepository, Repository } from "./repository.ts";

const CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsymlinks = true\n\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n";
/** Bytes are stored unchanged, whatever the directory's own attributes say. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding !diff !merge\n";
/** Large generated directories. */
const EXCLUDED = "node_modules/\n.venv/\n__pycache__/\n.DS_Store\n";
const LINKS = ["-c", "core.symlinks=true"];
/** One fsync for several files. */
const FEW = ["-c", "core.fsyncMethod=batch"];
/** Many files go into one pack, ten times as fast as loose files; git cannot combine both. */
const MANY = ["-c", "core.bigFileThreshold=1"];
/** A user waits for this. */
const SCAN_MS = 15_000;
const FILES_FEW = 100;
const COMMITS_BEFORE_TRIMMING = 200;
/** Modes that git does not store. */
const MODES = "gsv-modes.json";
const MODES_MAX = 20_000;
const USUAL_MODES = new Set([0o644, 0o755, 0o664, 0o775]);
const FINGERPRINTS_MAX = 20_000;

export interface Snapshot {
  /** Null before the first version. */
  readonly commit: string | null;
  readonly leftOut: readonly string[];
}

export interface HiddenRepositoryOptions {
  readonly directory: string;
  readonly gitDir: string;
  readonly findGit: () => Git | null;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export class HiddenRepository {
  readonly repository: Repository;
  private readonly fingerprints = new Map<string, string>();
  private commits = 0;
  private tooBig: string | null = null;
  private unusual: Map<string, number> | null = null;

  constructor(private readonly options: HiddenRepositoryOptions) {
    const { directory, gitDir, findGit, clock, log } = options;
    this.repository = new Repository({ cwd: directory, gitDir, hasFiles: true }, findGit, clock, log);
  }

  /** Stores the directory, or only these files. Differences to the last version are attributed to these processes. */
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
      this.checkSize(kept.length, bytes);
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
    return await abortAfter(this.options.clock, SCAN_MS, async (signal) => {
      try {
        return await this.repository.differing(LINKS, { signal });
      } catch (error) {
        throw signal.aborted ? this.giveUp("scanning takes too long") : error;
      }
    });
  }

  private checkSize(files: number, bytes: number): void {
    if (files <= LIMITS.undoFilesMax && bytes <= LIMITS.undoBytesMax) return;
    throw this.giveUp(`${files} files of ${Math.round(bytes / 1024 / 1024)} MiB are more than undo can keep`);
  }

  /** Until the next kernel: every try would take as long. */
  private giveUp(why: string): SysError {
    this.tooBig = `${this.options.directory}: ${why}`;
    return new SysError("EFBIG", this.tooBig, ["attach the directory of one project"]);
  }

  /** Files touched since the last snapshot. */
  private async changedOf(paths: readonly string[]): Promise<string[]> {
    const changed: string[] = [];
    for (const path of paths)
      if (this.fingerprints.get(path) !== (await fingerprint(join(this.options.directory, path)))) changed.push(path);
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
    const what = by.length === 0 ? ["-m", "outside of gsv"] : ["-m", "a call", "-m", trailersOf(by)];
    // 1: nothing to commit.
    await repository.insist([...LINKS, "commit", "-q", "--no-verify", "--cleanup=verbatim", ...what], {
      author,
      also: [1],
    });
    let isNew = false;
    for (const path of paths) isNew = (await this.remember(path)) || isNew;
    if (isNew) this.saveModes();
    if (++this.commits % COMMITS_BEFORE_TRIMMING === 0) await this.trim();
  }

  /** True if the stored modes change. */
  private async remember(path: string): Promise<boolean> {
    const isNew = this.keepMode(path);
    this.fingerprints.delete(path);
    this.fingerprints.set(path, await fingerprint(join(this.options.directory, path)));
    const [oldest] = this.fingerprints.keys();
    if (this.fingerprints.size > FINGERPRINTS_MAX && oldest !== undefined) this.fingerprints.delete(oldest);
    return isNew;
  }

  /** Mode of a deleted file; git stores only the executable bit. */
  modeOf(path: string): number | null {
    return this.modes().get(path) ?? null;
  }

  private keepMode(path: string): boolean {
    const stat = lstatSync(join(this.options.directory, path), { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return false;
    const mode = stat.mode & 0o777;
    const modes = this.modes();
    const isUsual = USUAL_MODES.has(mode);
    if (isUsual ? !modes.has(path) : modes.get(path) === mode) return false;
    if (isUsual) modes.delete(path);
    else modes.set(path, mode);
    return true;
  }

  private saveModes(): void {
    const modes = this.modes();
    const file = join(this.options.gitDir, MODES);
    writeFileSync(`${file}.new`, JSON.stringify([...modes].slice(-MODES_MAX)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  private modes(): Map<string, number> {
    this.unusual ??= modesIn(join(this.options.gitDir, MODES));
    return this.unusual;
  }

  /** Drops old versions to bound the size. */
  private async trim(): Promise<void> {
    const { repository } = this;
    const skip = String(LIMITS.undoVersionsKept);
    const { text } = await repository.run(["rev-list", "--max-count=1", `--skip=${skip}`, "HEAD"]);
    if (text.trim() !== "") writeFileSync(join(this.options.gitDir, "shallow"), text);
    await repository.run(["gc", "-q", "--prune=now", "--force"]);
  }
}

/** Why a file is left out. "" for entries that are not listed at all. */
function refusalOf(path: string, stat: Awaited<ReturnType<typeof lstat>>): string | null {
  if (path.split("/").some(isGits)) return "";
  if (!stat.isFile() && !stat.isSymbolicLink()) return "";
  if (stat.size > LIMITS.undoFileBytesMax) return `bigger than ${LIMITS.undoFileBytesMax / 1024 / 1024} MiB`;
  return null;
}

async function fingerprint(path: string): Promise<string> {
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
