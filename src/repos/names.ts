// Names of repositories and in them: nothing that leads out of a tree, nothing that git takes for its own, nothing that a line of git's
// could not carry.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { isGits, isOrdersToGit, type RepoName } from "../abi/repo.ts";

const NAME = /^[a-z0-9_](?:[a-z0-9._-]{0,62}[a-z0-9_-])?$/;
/** What editors leave beside a file while they work on it. */
export function isDropping(name: string): boolean {
  return /~$|^\.#|^#.*#$|\.sw[a-z]$|^4913$|^\.DS_Store$|\.(?:tmp|part)$/.test(name);
}

/** A path inside a repository, as given; throws when it could not be one. */
export function pathInside(path: string): string {
  const names = path.split("/");
  const bad = names.find((name) => name === "" || name === "." || name === ".." || isGits(name));
  if (bad !== undefined || /[\u0000-\u001f\u007f]/.test(path) || Buffer.byteLength(path) > LIMITS.pathBytesMax)
    throw new SysError("EINVAL", `not a path inside a repository: ${path.slice(0, 100)}`, [
      "for example: context.d/10-style.md",
    ]);
  return path;
}

/** The same, of a file that is to be kept there. */
export function pathToKeep(path: string): string {
  const orders = path.split("/").find(isOrdersToGit);
  if (orders === undefined) return pathInside(path);
  throw new SysError("EINVAL", `git keeps the name ${orders} for itself: ${path.slice(0, 100)}`);
}

/** `owner/name`, or a name alone. */
export function repoName(text: string, owner: string): RepoName {
  const parts = text.split("/");
  const [first = "", second] = parts;
  const found = second === undefined ? { owner, name: first } : { owner: first, name: second };
  if (parts.length > 2 || !NAME.test(found.name) || !NAME.test(found.owner) || found.name.endsWith(".lock"))
    throw new SysError("EINVAL", `not the name of a repository: ${text.slice(0, 80)}`, [
      "lower-case letters, digits, . _ and -, as in notes or alice/notes",
    ]);
  return found;
}
