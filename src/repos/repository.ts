// One repository and its queue of changes. Waits for locks held by another git.

import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
import { holdOffGc } from "./gc-lock.ts";
import type { Git, GitAnswer, GitCall, GitPlace } from "./git.ts";
import { headAt } from "./health.ts";
import { dropStaleLocks } from "./locks.ts";

const TRIES_MAX = 12;
const RETRY_MS = 80;

/** A push updates the files of the tree if nothing is in the way. */
export const TREE_CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsymlinks = false\n[receive]\n\tdenyCurrentBranch = updateInstead\n";
export const BARE_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

/** Creates what a backup leaves out and git requires. */
export function completeRepository(gitDir: string, config: string): void {
  for (const name of ["refs", "objects"]) mkdirSync(join(gitDir, name), { recursive: true });
  if (!existsSync(join(gitDir, "config"))) writeFileSync(join(gitDir, "config"), config);
}

/** Creates an empty repository like `git init`, without templates. HEAD is written last, atomically: with it the repository exists. */
export function layRepository(gitDir: string, config: string): void {
  for (const name of ["refs/heads", "refs/tags", "objects/info", "objects/pack"])
    mkdirSync(join(gitDir, name), { recursive: true });
  writeFileSync(join(gitDir, "config"), config);
  writeFileSync(join(gitDir, "HEAD.new"), "ref: refs/heads/main\n");
  renameSync(join(gitDir, "HEAD.new"), join(gitDir, "HEAD"));
}

export class Repository {
  private readonly serial = new Serial();

  constructor(
    readonly place: GitPlace,
    private readonly findGit: () => Git | null,
    readonly clock: Clock,
    private readonly log: (line: string) => void,
  ) {}

  /** Exclusive access, without a git gc. Must not be nested: the inner call would wait for ever. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.serial.run(async () => {
      const { gitDir } = this.place;
      if (gitDir === null || !this.exists) return await work();
      const release = await holdOffGc(gitDir, this.clock);
      try {
        return await work();
      } finally {
        release();
      }
    });
  }

  run(args: readonly string[], call?: GitCall): Promise<GitAnswer> {
    return this.git()(this.place, args, call);
  }

  /** Call within a turn. Removes abandoned locks; returns whether there were any. */
  freeLocks(): boolean {
    const { gitDir } = this.place;
    const dropped = gitDir === null ? [] : dropStaleLocks(gitDir);
    for (const name of dropped) this.log(`${gitDir}/${name} was abandoned by a killed git: removed`);
    return dropped.length > 0;
  }

  /** Like run(), but waits for another git. */
  async insist(args: readonly string[], call?: GitCall): Promise<GitAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.run(args, call);
      } catch (error) {
        if (!(error instanceof SysError) || error.code !== "EAGAIN" || attempt === TRIES_MAX) throw error;
        if (attempt === 1 && this.freeLocks()) continue;
        await this.clock.sleep(RETRY_MS);
      }
    }
  }

  /** Paths that differ from HEAD, without ignored files and nested repositories. Waits for another git. */
  async differing(options: readonly string[] = [], call?: GitCall): Promise<string[]> {
    const flags = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];
    const { text } = await this.insist([...options, "status", ...flags], call);
    // A trailing slash marks a nested repository.
    return text
      .split("\0")
      .map((line) => line.slice(3))
      .filter((path) => path !== "" && !path.endsWith("/"));
  }

  /** False for a home without changes. */
  get exists(): boolean {
    return existsSync(join(this.place.gitDir ?? "", "HEAD"));
  }

  /** Commit of HEAD; null before the first. */
  async head(): Promise<string | null> {
    const head = headAt(this.place.gitDir ?? "");
    if (head === null) return null;
    if ("fault" in head) throw this.damaged(head.fault);
    const { status, text } = await this.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], { also: [1, 128] });
    if (status !== 0) throw this.damaged(`commit ${head.commit.slice(0, 10)}, the commit of HEAD, cannot be read`);
    return text.trim();
  }

  /** Call before a change: throws if the repository is damaged. */
  checkHealth(): void {
    const head = headAt(this.place.gitDir ?? "");
    if (head !== null && "fault" in head) throw this.damaged(head.fault);
  }

  private damaged(why: string): SysError {
    return new SysError("EIO", `the repository in ${this.place.cwd} is damaged: ${why}`, [
      "inspect it: git fsck. Restore a backup: gsv restore",
    ]);
  }

  git(): Git {
    const git = this.findGit();
    if (git === null)
      throw new SysError("ENOSYS", "git is not installed; gsv needs it to keep versions", [
        "install git: apt install git, brew install git",
      ]);
    return git;
  }
}
