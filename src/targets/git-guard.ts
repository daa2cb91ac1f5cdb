// Parts of git repositories that a command in the sandbox may not write. A hook, or a program named in the settings, would run later as the person,
// outside of the sandbox: with their next commit, or with the prompt of their shell.

import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../lib/inside.ts";

/** How much of a repository a command may write. */
export type GitWrites = "nothing" | "commits" | "everything";

export interface GitGuard {
  /** Writable directories that the command cannot rename or replace. */
  readonly held: readonly string[];
  readonly readOnly: readonly string[];
  /** Guarded paths that do not exist yet, parents first. */
  readonly placeholders: readonly Placeholder[];
}

export interface Placeholder {
  readonly path: string;
  /** null for a directory. */
  readonly text: string | null;
}

export const NO_GUARD: GitGuard = { held: [], readOnly: [], placeholders: [] };

/** Parts that lead to programs, with the text that means the same as their absence; null for a directory. */
const SETTINGS: ReadonlyMap<string, string | null> = new Map([
  ["hooks", null],
  ["config", ""],
  ["config.worktree", ""],
  // It leads to the settings and hooks of another repository.
  ["commondir", ".\n"],
  ["modules", null],
  ["worktrees", null],
  ["info/attributes", ""],
  ["objects/info/alternates", ""],
]);
/** Parents of the settings. They become mount points, which cannot be renamed. */
const PARENTS = ["info", "objects", "objects/info"];
/** Repositories directly in the directory, for a directory of repositories. */
const REPOSITORIES_MAX = 200;

export function gitGuard(directory: string, writes: GitWrites): GitGuard {
  if (writes === "everything") return NO_GUARD;
  const found = [directory, ...childrenOf(directory)].map((each) => join(each, ".git")).filter(isThere);
  const beside = found.flatMap(partsInWorktree);
  // `git init` writes settings, and hooks of its template.
  const own = isInRepository(directory) ? [] : [{ path: join(directory, ".git"), text: null }];
  beside.push(...own.map(({ path }) => path));
  if (writes === "nothing") return { held: [], readOnly: [...found, ...beside], placeholders: own };
  const [directories, files] = [found.filter(isDirectory), found.filter((path) => !isDirectory(path))];
  const settings = directories.flatMap((git) => [...SETTINGS].map(([name, text]) => ({ path: join(git, name), text })));
  const parents = directories.flatMap((git) => PARENTS.map((name) => ({ path: join(git, name), text: null })));
  return {
    held: [...directories, ...parents.map(({ path }) => path)],
    readOnly: [...files, ...settings.map(({ path }) => path), ...beside],
    placeholders: [...own, ...parents, ...settings].filter(({ path }) => !isThere(path)),
  };
}

/** True if there is a `.git` here or above. An empty `.git` here would hide that one from git and other programs. */
function isInRepository(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    if (isThere(join(at, ".git"))) return true;
    if (at === "/") return false;
  }
}

const HOOKS_PATH = /^[ \t]*hookspath[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/im;
const INCLUDED = /^[ \t]*path[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/gim;

/** Hooks in the worktree, and settings there that `include.path` names. */
function partsInWorktree(git: string): readonly string[] {
  const worktree = dirname(git);
  const config = textOf(join(git, "config"));
  const hooks = HOOKS_PATH.exec(config)?.[1];
  const settings = [...config.matchAll(INCLUDED)].map(([, path = ""]) => resolve(git, path));
  const places = [join(worktree, ".husky"), ...(hooks === undefined ? [] : [resolve(worktree, hooks)]), ...settings];
  return [...new Set(places)].filter((path) => isInside(path, worktree) && path !== worktree && isThere(path));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function childrenOf(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.slice(0, REPOSITORIES_MAX).map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  return existsSync(path);
}

function isDirectory(path: string): boolean {
  return lstatSync(path).isDirectory();
}
