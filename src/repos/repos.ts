// Where repositories lie and who hands them out: one object, and so one queue, for each. `repos/{owner}/home` and those of workspaces are
// working trees, every other one a bare repository `repos/{owner}/{name}.git`, in which no file of anybody's is ever checked out.

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { HOME_REPO, hasTree, type RepoName, VERSIONED } from "../abi/repo.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import { findGit, type Git, gitAt, programPath } from "./git.ts";
import { BARE_CONFIG, completeRepository, layRepository, Repository, TREE_CONFIG } from "./repository.ts";
import { Shadow } from "./shadow.ts";
import { VersionedTree } from "./tree.ts";

export interface ReposOptions {
  readonly directory: string;
  /** The PATH git is looked for on. */
  readonly path: string | undefined;
  readonly clock: Clock;
  /** Told what was mended by the way. */
  readonly log?: (line: string) => void;
  /** Told of each home that is versioned, once. */
  readonly onHome?: (owner: string) => void;
}

export class Repos {
  private readonly trees = new Map<string, VersionedTree>();
  private readonly bare = new Map<string, Repository>();
  private readonly shadows = new Map<string, Shadow>();
  private git: Git | null | undefined;

  constructor(private readonly options: ReposOptions) {}

  /** Looked for once, when first needed. */
  readonly findGit = (): Git | null => {
    if (this.git === undefined) {
      const path = programPath(this.options.path);
      const program = findGit(path);
      this.git = program === null ? null : gitAt(program, path);
    }
    return this.git;
  };

  get searchPath(): string {
    return programPath(this.options.path);
  }

  /** The tree of an account's home, or of a workspace of its; making it is left to its first change. */
  tree({ owner, name }: RepoName): VersionedTree {
    const directory = this.pathOf({ owner, name });
    const known = this.trees.get(directory);
    if (known !== undefined) return known;
    const { clock, log = unsaid, onHome } = this.options;
    const gitDir = join(directory, ".git");
    if (existsSync(join(gitDir, "HEAD"))) completeRepository(gitDir, TREE_CONFIG);
    const isHome = name === HOME_REPO;
    const tree = new VersionedTree({
      owner,
      directory,
      tops: isHome ? VERSIONED : null,
      scratch: join(this.options.directory, owner, isHome ? ".scratch" : `.scratch-${name}`),
      findGit: this.findGit,
      clock,
      log,
      onReady: () => isHome && onHome?.(owner),
    });
    this.trees.set(directory, tree);
    return tree;
  }

  /** The versions of a directory of this machine that are kept for an account. */
  shadow(owner: string, directory: string): Shadow {
    const key = `${owner} ${directory}`;
    const known = this.shadows.get(key);
    if (known !== undefined) return known;
    const { clock, log = unsaid } = this.options;
    const name = sha256Hex(directory).slice(0, 24);
    const gitDir = join(this.options.directory, owner, ".undo", `${name}.git`);
    const shadow = new Shadow({ directory, gitDir, findGit: this.findGit, clock, log });
    this.shadows.set(key, shadow);
    return shadow;
  }

  /** Null where there is none; a home always has one, if only to come. */
  open({ owner, name }: RepoName): Repository | null {
    const path = this.pathOf({ owner, name });
    if (name === HOME_REPO || (hasTree(name) && existsSync(path))) return this.tree({ owner, name }).repository;
    if (!existsSync(join(path, "HEAD"))) return null;
    return this.bareAt(path);
  }

  async create(name: RepoName): Promise<Repository> {
    const path = this.pathOf(name);
    if (existsSync(path)) throw new SysError("EEXIST", `${name.owner}/${name.name} exists already`);
    const repository = this.bareAt(path);
    repository.git();
    mkdirSync(join(this.options.directory, name.owner), { recursive: true, mode: 0o700 });
    layRepository(path, BARE_CONFIG);
    return repository;
  }

  /** Taken away under its name first, so that nobody meets half of it. */
  async remove(name: RepoName): Promise<void> {
    const path = this.pathOf(name);
    const gone = join(this.options.directory, name.owner, `.gone-${name.name}`);
    await this.bareAt(path).turn(async () => {
      await rm(gone, { recursive: true, force: true });
      await rename(path, gone);
      await rm(gone, { recursive: true, force: true });
    });
    this.bare.delete(path);
  }

  list(owner: string): string[] {
    const directory = join(this.options.directory, owner);
    if (!existsSync(directory)) return [];
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => (name.endsWith(".git") ? name.slice(0, -".git".length) : name))
      .sort();
  }

  owners(): string[] {
    if (!existsSync(this.options.directory)) return [];
    return readdirSync(this.options.directory).filter((name) => !name.startsWith("."));
  }

  pathOf({ owner, name }: RepoName): string {
    return join(this.options.directory, owner, hasTree(name) ? name : `${name}.git`);
  }

  private bareAt(path: string): Repository {
    const known = this.bare.get(path);
    if (known !== undefined) return known;
    if (existsSync(join(path, "HEAD"))) completeRepository(path, BARE_CONFIG);
    const { clock, log = unsaid } = this.options;
    const repository = new Repository({ cwd: path, gitDir: path, hasFiles: false }, this.findGit, clock, log);
    this.bare.set(path, repository);
    return repository;
  }
}

function unsaid(): void {}
