// Names of repositories and of paths in them: they must not lead out of a tree, be special to git, or contain control characters.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { isGits, isOrdersToGit, type RepoName } from "../abi/repo.ts";
import { clip } from "../lib/text/truncate.ts";

const NAME = /^[a-z0-9_](?:[a-z0-9._-]{0,62}[a-z0-9_-])?$/;
/** Temporary files of editors. */
export function isEditorTemporary(name: string): boolean {
  return /~$|^\.#|^#.*#$|\.sw[a-z]$|^4913$|^\.DS_Store$|\.(?:tmp|part)$/.test(name);
}

/** Throws if it is not a path inside a repository. */
export function pathInside(path: string): string {
  const names = path.split("/");
  const bad = names.find((name) => name === "" || name === "." || name === ".." || isGits(name));
  if (bad !== undefined || /[\u0000-\u001f\u007f]/.test(path) || Buffer.byteLength(path) > LIMITS.pathBytesMax)
    throw new SysError("EINVAL", `not a path inside a repository: ${clip(path)}`, [
      "for example: context.d/10-style.md",
    ]);
  return path;
}

/** The same, for a file that will be stored there. */
export function pathToKeep(path: string): string {
  const orders = path.split("/").find(isOrdersToGit);
  if (orders === undefined) return pathInside(path);
  throw new SysError("EINVAL", `the name ${orders} is reserved by git: ${clip(path)}`);
}

/** `owner/name`, or only a name. */
export function repoName(text: string, owner: string): RepoName {
  const parts = text.split("/");
  const [first = "", second] = parts;
  const found = second === undefined ? { owner, name: first } : { owner: first, name: second };
  if (parts.length > 2 || !NAME.test(found.name) || !NAME.test(found.owner) || found.name.endsWith(".lock"))
    throw new SysError("EINVAL", `invalid repository name: ${clip(text)}`, [
      "use lower-case letters, digits, . _ and -, for example notes or alice/notes",
    ]);
  return found;
}
