// One repository and its queue: whatever changes it comes one after the other. A lock that somebody else's git holds is waited for.

import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
import type { Git, GitAnswer, GitCall, GitPlace } from "./git.ts";
import { dropStaleLocks } from "./locks.ts";
import { headAt } from "./sound.ts";

const TRIES_MAX = 12;
const RETRY_MS = 80;

/** A push from a clone brings the files of a tree up to date, where nothing stands in its way. */
export const TREE_CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsymlinks = false\n[receive]\n\tdenyCurrentBranch = updateInstead\n";
export const BARE_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

/** What a backup does not hold, and git asks for. */
export function completeRepository(gitDir: string, config: string): void {
  for (const name of ["refs", "objects"]) mkdirSync(join(gitDir, name), { recursive: true });
  if (!existsSync(join(gitDir, "config"))) writeFileSync(join(gitDir, "config"), config);
}

/** An empty one, as `git init` lays it out, without its templates. HEAD comes last and at once: with it there is a repository. */
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

  /** Alone with the repository. Never from inside another turn: it would wait for itself. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.serial.run(work);
  }

  run(args: readonly string[], call?: GitCall): Promise<GitAnswer> {
    return this.git()(this.place, args, call);
  }

  /** From inside a turn: what a git that was killed left in the way is gone. Whether there was any. */
  freeLocks(): boolean {
    const { gitDir } = this.place;
    const dropped = gitDir === null ? [] : dropStaleLocks(gitDir);
    for (const name of dropped) this.log(`${gitDir}/${name} was left by a git that is gone: removed`);
    return dropped.length > 0;
  }

  /** The same, patient with another git at work. */
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

  /** A home that nobody has written to has none yet. */
  get exists(): boolean {
    return existsSync(join(this.place.gitDir ?? "", "HEAD"));
  }

  /** The commit that HEAD stands at; null before the first. */
  async head(): Promise<string | null> {
    const head = headAt(this.place.gitDir ?? "");
    if (head === null) return null;
    if ("fault" in head) throw this.damaged(head.fault);
    const { status, text } = await this.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], { also: [1, 128] });
    if (status !== 0) throw this.damaged(`commit ${head.commit.slice(0, 10)}, where HEAD stands, cannot be read`);
    return text.trim();
  }

  /** Before a change: nothing is built on what is broken. */
  needSound(): void {
    const head = headAt(this.place.gitDir ?? "");
    if (head !== null && "fault" in head) throw this.damaged(head.fault);
  }

  private damaged(why: string): SysError {
    return new SysError("EIO", `the repository in ${this.place.cwd} is damaged: ${why}`, [
      "git fsck there says what is left; gsv restore brings it back from a backup",
    ]);
  }

  git(): Git {
    const git = this.findGit();
    if (git === null)
      throw new SysError("ENOSYS", "there is no git on this machine, and versions are kept by it", [
        "install git: apt install git, brew install git",
      ]);
    return git;
  }
}
