// Repositories in a backup: the files of homes and workspaces, and their git objects and refs. Never includes or restores what makes git run
// programs: hooks, configuration, alternates. The index is rebuilt.

import { constants } from "node:fs";
import { chmod, copyFile, lstat, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWorkspaceId } from "../abi/ids.ts";
import { isGits } from "../abi/repo.ts";
import { syncDirectory } from "../lib/directories.ts";
import { makeParents, sha256Of } from "../objects/host.ts";
import { headFault, repositoriesIn } from "../repos/health.ts";
import { BARE_CONFIG, completeRepository, TREE_CONFIG } from "../repos/repository.ts";
import { refused } from "./tar.ts";

export interface RepoFile {
  /** Relative to the directory of repositories. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Executable. */
  readonly runs: boolean;
}

const OWNER = /^[a-z_][a-z0-9_-]{0,31}$/;
const BARE = /^[a-z0-9_](?:[a-z0-9._-]{0,62}[a-z0-9_-])?\.git$/;
const GIT_FILE =
  /^(?:HEAD|packed-refs|refs\/[^\u0000-\u001f\\]+|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev))$/;
const HEADS = /^[^/]+\/(?:[^/]+\.git|[^/]+\/\.git)\/HEAD$/;
/** First refs, then objects, so that every named object is included. Packing moves loose objects to packs, so take them in that order. */
const GIT_ORDER: readonly string[] = ["HEAD", "refs", "packed-refs", "objects", "pack"];
const ROUNDS_MAX = 5;

/** Whether the path is valid in a backup and in the directory of repositories. */
export function isRepoPath(path: string): boolean {
  const [owner = "", repo = "", ...names] = path.split("/");
  if (!OWNER.test(owner) || names.length === 0) return false;
  if (names.some((name) => name === "" || name === "." || name === ".." || Buffer.byteLength(name) > 255)) return false;
  if (path.includes("\u0000")) return false;
  if (BARE.test(repo)) return GIT_FILE.test(names.join("/")) && !names.some((name) => name.endsWith(".lock"));
  if (repo !== "home" && !isWorkspaceId(repo)) return false;
  if (names[0] !== ".git") return !names.some(isGits);
  return GIT_FILE.test(names.slice(1).join("/")) && !names.some((name) => name.endsWith(".lock"));
}

/** Repositories whose history is unreadable, here and in the backup. */
export function repoFaults(reposDir: string): string[] {
  return repositoriesIn(reposDir).flatMap(({ name, gitDir }) => {
    const fault = headFault(gitDir);
    return fault === null ? [] : [`repository ${name}: ${fault}`];
  });
}

/** Copies all files into `into`, named by checksum. A file that changes is copied in its old or new state. */
export async function takeRepos(reposDir: string, into: string, have: Set<string>): Promise<RepoFile[]> {
  for (let round = 1; ; round++) {
    const taken: RepoFile[] = [];
    let isWhole = true;
    // Copy each before reading the next directory.
    for await (const path of filesBelow(reposDir, "")) {
      const file = await take(join(reposDir, path), into, have);
      if (file !== null) taken.push({ path, ...file });
      // Packed or deleted meanwhile: the next pass finds it.
      else isWhole = false;
    }
    if (isWhole || round === ROUNDS_MAX) return taken;
  }
}

async function* filesBelow(root: string, path: string): AsyncGenerator<string> {
  const done = new Set<string>();
  // A second pass for what was packed meanwhile.
  for (let look = 0; look < 2; look++) {
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(nothing);
    entries.sort((left, right) => GIT_ORDER.indexOf(left.name) - GIT_ORDER.indexOf(right.name));
    for (const entry of entries.filter(({ name }) => !done.has(name))) {
      done.add(entry.name);
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) yield* filesBelow(root, below);
      else if (entry.isFile() && isRepoPath(below)) yield below;
    }
  }
}

// Only a deleted file may be skipped. An unreadable one is an error: without it the backup would look complete.
function nothing(error: unknown): [] {
  if (isGone(error)) return [];
  throw error;
}

/** Also if it is no longer a file. */
function isGone(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EISDIR"].includes((error as { code?: string }).code ?? "");
}

async function take(path: string, into: string, have: Set<string>): Promise<Omit<RepoFile, "path"> | null> {
  const copy = join(into, "taken-repo");
  await rm(copy, { force: true });
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
  const sha256 = await sha256Of(copy);
  const { size, mode } = await lstat(copy);
  if (sha256 === null) return null;
  if (have.has(sha256)) await rm(copy);
  else await rename(copy, join(into, sha256));
  have.add(sha256);
  return { sha256, size, runs: (mode & 0o100) !== 0 };
}

/** Restores the files. Their paths are untrusted. */
export async function placeRepos(
  files: readonly Omit<RepoFile, "size">[],
  from: string,
  reposDir: string,
): Promise<void> {
  const directories = new Set<string>([reposDir]);
  for (const { path, sha256, runs } of files) {
    const target = join(reposDir, path);
    await makeParents(reposDir, path);
    try {
      await copyFile(join(from, sha256), target, constants.COPYFILE_EXCL);
    } catch {
      throw refused(`the file ${JSON.stringify(path).slice(0, 80)} has no place`);
    }
    if (runs) await chmod(target, 0o700);
    directories.add(dirname(target));
    // Create what a backup does not contain, so that git accepts the repository.
    if (HEADS.test(path)) completeRepository(dirname(target), path.endsWith("/.git/HEAD") ? TREE_CONFIG : BARE_CONFIG);
  }
  for (const directory of directories) await syncDirectory(directory);
}
