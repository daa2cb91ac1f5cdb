// Parts of git repositories that a command in the sandbox may not write. A hook, or a program named in the settings, would run later as the person,
// outside of the sandbox: with their next commit, or with the prompt of their shell.

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

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
  if (writes === "nothing") return { held: [], readOnly: found };
  const [directories, files] = [found.filter(isDirectory), found.filter((path) => !isDirectory(path))];
  const settings = directories.flatMap((git) => SETTINGS.map((name) => join(git, name)).filter(isThere));
  return { held: directories, readOnly: [...files, ...settings] };
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
