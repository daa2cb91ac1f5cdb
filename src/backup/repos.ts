// Repositories in a backup: the files of homes and workspaces, and what git needs to know their versions. What makes a git run something (hooks,
// configuration, what it takes objects from besides) is neither taken nor put back, whatever a backup holds; an index is made anew.

import { constants } from "node:fs";
import { chmod, copyFile, lstat, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWorkspaceId } from "../abi/ids.ts";
import { isGits } from "../abi/repo.ts";
import { makeParents, sha256Of, syncDirectory } from "../objects/host.ts";
import { headFault, repositoriesIn } from "../repos/health.ts";
import { BARE_CONFIG, completeRepository, TREE_CONFIG } from "../repos/repository.ts";
import { refused } from "./tar.ts";

export interface RepoFile {
  /** From the directory of repositories. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** It may be run. */
  readonly runs: boolean;
}

const OWNER = /^[a-z_][a-z0-9_-]{0,31}$/;
const BARE = /^[a-z0-9_](?:[a-z0-9._-]{0,62}[a-z0-9_-])?\.git$/;
const GIT_FILE =
  /^(?:HEAD|packed-refs|refs\/[^\u0000-\u001f\\]+|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev))$/;
const HEADS = /^[^/]+\/(?:[^/]+\.git|[^/]+\/\.git)\/HEAD$/;
/** First what names versions, then the versions: whatever is named then is there. What is packed meanwhile goes from the loose ones to the
 * packed, so those are looked at in that order too. */
const GIT_ORDER: readonly string[] = ["HEAD", "refs", "packed-refs", "objects", "pack"];
const ROUNDS_MAX = 5;

/** Whether a file of that name may lie below the directory of repositories, in a backup and after it. */
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

/** Histories that a backup holds and that cannot be read from it any more than from here. */
export function repoFaults(reposDir: string): string[] {
  return repositoriesIn(reposDir).flatMap(({ name, gitDir }) => {
    const fault = headFault(gitDir);
    return fault === null ? [] : [`repository ${name}: ${fault}`];
  });
}

/** Copies of all of them, named by what they hold, into `into`; what changes meanwhile is as it was or as it is. */
export async function takeRepos(reposDir: string, into: string, have: Set<string>): Promise<RepoFile[]> {
  for (let round = 1; ; round++) {
    const taken: RepoFile[] = [];
    let isWhole = true;
    // Each is taken before the next directory is looked into.
    for await (const path of filesBelow(reposDir, "")) {
      const file = await take(join(reposDir, path), into, have);
      if (file !== null) taken.push({ path, ...file });
      // Packed, or deleted by somebody: the next look finds where it is now.
      else isWhole = false;
    }
    if (isWhole || round === ROUNDS_MAX) return taken;
  }
}

async function* filesBelow(root: string, path: string): AsyncGenerator<string> {
  const done = new Set<string>();
  // A second time for what came meanwhile: the first packing makes the file, or the directory, into which all of it goes.
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

// Gone since it was listed. What cannot be read is told: a backup that left it out would look whole.
function nothing(error: unknown): [] {
  if (isGone(error)) return [];
  throw error;
}

/** Or there is something of another kind by now. */
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

/** Puts them where they were. Their paths come from a file that anyone may have written. */
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
    // With what a backup does not hold git takes it for a repository before any kernel has looked at it.
    if (HEADS.test(path)) completeRepository(dirname(target), path.endsWith("/.git/HEAD") ? TREE_CONFIG : BARE_CONFIG);
  }
  for (const directory of directories) await syncDirectory(directory);
}
