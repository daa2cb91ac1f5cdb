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
}

export const NO_GUARD: GitGuard = { held: [], readOnly: [] };

/** `commondir` would lead to other settings and hooks. */
const SETTINGS = ["hooks", "config", "config.worktree", "commondir", "modules", "worktrees", "info/attributes"];
/** Repositories directly in the directory, for a directory of repositories. */
const REPOSITORIES_MAX = 200;

export function gitGuard(directory: string, writes: GitWrites): GitGuard {
  if (writes === "everything") return NO_GUARD;
  const found = [directory, ...childrenOf(directory)].map((each) => join(each, ".git")).filter(isThere);
  const hooks = found.flatMap(hooksBeside);
  if (writes === "nothing") return { held: [], readOnly: [...found, ...hooks] };
  const [directories, files] = [found.filter(isDirectory), found.filter((path) => !isDirectory(path))];
  const settings = directories.flatMap((git) => SETTINGS.map((name) => join(git, name)).filter(isThere));
  return { held: directories, readOnly: [...files, ...settings, ...hooks] };
}

const HOOKS_PATH = /^[ \t]*hookspath[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/im;

/** Hooks that lie in the worktree. */
function hooksBeside(git: string): readonly string[] {
  const worktree = dirname(git);
  const named = HOOKS_PATH.exec(textOf(join(git, "config")))?.[1];
  const places = [join(worktree, ".husky"), ...(named === undefined ? [] : [resolve(worktree, named)])];
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
