// Locations of repositories, and one object, hence one queue, for each. `repos/{owner}/home` and workspaces are working trees; all others
// are bare repositories `repos/{owner}/{name}.git`, which never check files out.

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { HOME_REPO, hasTree, type RepoName, VERSIONED } from "../abi/repo.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import { findGit, type Git, gitAt, programPath } from "./git.ts";
import { HiddenRepository } from "./hidden-repository.ts";
import { BARE_CONFIG, completeRepository, layRepository, Repository, TREE_CONFIG } from "./repository.ts";
import { VersionedTree } from "./tree.ts";

export interface ReposOptions {
  readonly directory: string;
  /** PATH to search for git. */
  readonly path: string | undefined;
  readonly clock: Clock;
  /** Gets a line for every repair. */
  readonly log?: (line: string) => void;
  /** Called once per versioned home. */
  readonly onHome?: (owner: string) => void;
}

export class Repos {
  private readonly trees = new Map<string, VersionedTree>();
  private readonly bare = new Map<string, Repository>();
  private readonly hidden = new Map<string, HiddenRepository>();
  private git: Git | null | undefined;

  constructor(private readonly options: ReposOptions) {}

  /** Searches at first use only. */
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

  /** Working tree of a home or workspace. Created by its first change. */
  tree({ owner, name }: RepoName): VersionedTree {
    const directory = this.pathOf({ owner, name });
    const known = this.trees.get(directory);
    if (known !== undefined) return known;
    const { clock, log = ignore, onHome } = this.options;
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

  /** Stored versions of a host directory. */
  versionsOf(owner: string, directory: string): HiddenRepository {
    const key = `${owner} ${directory}`;
    const known = this.hidden.get(key);
    if (known !== undefined) return known;
    const { clock, log = ignore } = this.options;
    const name = sha256Hex(directory).slice(0, 24);
    const gitDir = join(this.options.directory, owner, ".undo", `${name}.git`);
    const made = new HiddenRepository({ directory, gitDir, findGit: this.findGit, clock, log });
    this.hidden.set(key, made);
    return made;
  }

  /** Null if there is none. A home always has one, created on demand. */
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

  /** Renames first, so that no one sees a half-deleted repository. */
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
    const { clock, log = ignore } = this.options;
    const repository = new Repository({ cwd: path, gitDir: path, hasFiles: false }, this.findGit, clock, log);
    this.bare.set(path, repository);
    return repository;
  }
}

function ignore(): void {}
