// Checks a repository by its own files: HEAD and the index. Reads the disk directly, so that a broken ref is not mistaken for a missing
// one.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasTree } from "../abi/repo.ts";
import { listEntries } from "../lib/directories.ts";

export type Head = { readonly commit: string } | { readonly fault: string } | null;

export interface RepoAt {
  /** `owner/name`. */
  readonly name: string;
  readonly gitDir: string;
  /** True for homes and workspaces. */
  readonly hasFiles: boolean;
}

const LINKS_MAX = 5;
/** zlib: largest window, with header. */
const WITH_HEADER = 15;

/** The commit of HEAD. Does not check that it exists. */
export function headAt(gitDir: string): Head {
  let ref = "HEAD";
  for (let link = 0; link < LINKS_MAX; link++) {
    const text = fileText(join(gitDir, ref)) ?? packed(gitDir, ref);
    if (text === null && ref === "HEAD") return hasRefs(gitDir) ? { fault: "HEAD is missing" } : null;
    if (text === null) return null;
    const line = text.trim();
    if (/^[0-9a-f]{40}$/.test(line)) return { commit: line };
    const [, next = ""] = /^ref: (refs\/[^\u0000-\u0020]+)$/.exec(line) ?? [];
    if (next === "" || next.includes("..")) return { fault: `${ref} contains no version` };
    ref = next;
  }
  return { fault: "HEAD refers to itself" };
}

/** Why HEAD cannot be read, or null. Checked twice, because packing moves objects. */
export function headFault(gitDir: string): string | null {
  return headFaultNow(gitDir) && headFaultNow(gitDir);
}

function headFaultNow(gitDir: string): string | null {
  const head = headAt(gitDir);
  if (head === null) return null;
  if ("fault" in head) return head.fault;
  return hasCommit(gitDir, head.commit) ? null : `commit ${head.commit.slice(0, 10)}, the commit of HEAD, is missing`;
}

/** Changes of a home go to main: on another branch the next checkout would lose them. */
export function isOnMain(gitDir: string): boolean {
  return fileText(join(gitDir, "HEAD"))?.trim() === "ref: refs/heads/main";
}

/** A missing index is not broken. */
export function isIndexBroken(gitDir: string): boolean {
  const bytes = bytesOf(join(gitDir, "index"));
  if (bytes === null) return false;
  const sum = bytes.subarray(-20);
  if (bytes.byteLength < 32 || bytes.toString("latin1", 0, 4) !== "DIRC") return true;
  if (sum.every((byte) => byte === 0)) return false;
  return !new Bun.CryptoHasher("sha1").update(bytes.subarray(0, -20)).digest().equals(sum);
}

/** All repositories below a directory. */
export function repositoriesIn(directory: string): RepoAt[] {
  return directoriesIn(directory).flatMap((owner) =>
    directoriesIn(join(directory, owner)).flatMap((repo) => {
      const at = join(directory, owner, repo);
      const gitDir = hasTree(repo) ? join(at, ".git") : at;
      if (!existsSync(gitDir) || (!hasTree(repo) && !repo.endsWith(".git"))) return [];
      return [{ name: `${owner}/${repo.replace(/\.git$/, "")}`, gitDir, hasFiles: hasTree(repo) }];
    }),
  );
}

function directoriesIn(directory: string): string[] {
  return listEntries(directory)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

function hasRefs(gitDir: string): boolean {
  return existsSync(join(gitDir, "packed-refs")) || existsSync(join(gitDir, "refs/heads/main"));
}

/** True if a ref exists. A repository that is being created has none, and git does not recognize it. */
export function hasVersions(gitDir: string): boolean {
  return existsSync(join(gitDir, "packed-refs")) || hasFiles(join(gitDir, "refs"));
}

function hasFiles(directory: string): boolean {
  return listEntries(directory).some((entry) =>
    entry.isDirectory() ? hasFiles(join(directory, entry.name)) : !entry.name.endsWith(".lock"),
  );
}

function hasCommit(gitDir: string, id: string): boolean {
  const loose = bytesOf(join(gitDir, "objects", id.slice(0, 2), id.slice(2)));
  if (loose !== null) {
    try {
      const plain = Bun.inflateSync(new Uint8Array(loose), { windowBits: WITH_HEADER });
      return Buffer.from(plain.buffer, plain.byteOffset, 7).toString("latin1") === "commit ";
    } catch {
      return false;
    }
  }
  if (existsSync(join(gitDir, "objects/info/alternates"))) return true;
  const packs = join(gitDir, "objects/pack");
  const indexes = listEntries(packs).filter(({ name }) => name.endsWith(".idx"));
  const bytes = Buffer.from(id, "hex");
  return indexes.some(({ name }) => bytesOf(join(packs, name))?.includes(bytes));
}

function packed(gitDir: string, ref: string): string | null {
  const line = fileText(join(gitDir, "packed-refs"))
    ?.split("\n")
    .find((each) => each.endsWith(` ${ref}`));
  return line?.split(" ")[0] ?? null;
}

function fileText(path: string): string | null {
  return bytesOf(path)?.toString("utf8") ?? null;
}

// A file that disappears meanwhile counts as missing.
function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
