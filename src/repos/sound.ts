// Whether a repository is whole, as far as its own few files tell: where HEAD stands, and the index. Read straight from the disk, so that a
// reference that is broken is never taken for one that is not there yet.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasTree } from "../abi/repo.ts";

/** Null: nothing was committed yet. */
export type Head = { readonly commit: string } | { readonly fault: string } | null;

export interface RepoAt {
  /** `owner/name`. */
  readonly name: string;
  readonly gitDir: string;
  /** Of a home or a workspace. */
  readonly hasFiles: boolean;
}

const LINKS_MAX = 5;
/** To zlib: the largest window, and its header stands before the data. */
const WITH_HEADER = 15;

/** Where HEAD stands; whether that commit is there is another question. */
export function headAt(gitDir: string): Head {
  let ref = "HEAD";
  for (let link = 0; link < LINKS_MAX; link++) {
    const text = textOf(join(gitDir, ref)) ?? packed(gitDir, ref);
    if (text === null && ref === "HEAD") return hasRefs(gitDir) ? { fault: "HEAD is missing" } : null;
    if (text === null) return null;
    const line = text.trim();
    if (/^[0-9a-f]{40}$/.test(line)) return { commit: line };
    const [, next = ""] = /^ref: (refs\/[^\u0000-\u0020]+)$/.exec(line) ?? [];
    if (next === "" || next.includes("..")) return { fault: `${ref} names no version` };
    ref = next;
  }
  return { fault: "HEAD leads in a circle" };
}

/** What keeps HEAD from being read, or null. A second time, because versions that are being packed go from one place to another. */
export function headFault(gitDir: string): string | null {
  return headFaultNow(gitDir) && headFaultNow(gitDir);
}

function headFaultNow(gitDir: string): string | null {
  const head = headAt(gitDir);
  if (head === null) return null;
  if ("fault" in head) return head.fault;
  return hasCommit(gitDir, head.commit) ? null : `commit ${head.commit.slice(0, 10)}, where HEAD stands, is missing`;
}

/** Where the versions of a home go on: elsewhere they would be lost with the next checkout. */
export function isOnMain(gitDir: string): boolean {
  return textOf(join(gitDir, "HEAD"))?.trim() === "ref: refs/heads/main";
}

/** An index that is not there is no broken one. */
export function isIndexBroken(gitDir: string): boolean {
  const bytes = bytesOf(join(gitDir, "index"));
  if (bytes === null) return false;
  const sum = bytes.subarray(-20);
  if (bytes.byteLength < 32 || bytes.toString("latin1", 0, 4) !== "DIRC") return true;
  if (sum.every((byte) => byte === 0)) return false;
  return !new Bun.CryptoHasher("sha1").update(bytes.subarray(0, -20)).digest().equals(sum);
}

/** Those there are below the directory of repositories. */
export function repositoriesIn(directory: string): RepoAt[] {
  return namesIn(directory).flatMap((owner) =>
    namesIn(join(directory, owner)).flatMap((repo) => {
      const at = join(directory, owner, repo);
      const gitDir = hasTree(repo) ? join(at, ".git") : at;
      if (!existsSync(gitDir) || (!hasTree(repo) && !repo.endsWith(".git"))) return [];
      return [{ name: `${owner}/${repo.replace(/\.git$/, "")}`, gitDir, hasFiles: hasTree(repo) }];
    }),
  );
}

function namesIn(directory: string): string[] {
  return entriesOf(directory)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

function hasRefs(gitDir: string): boolean {
  return existsSync(join(gitDir, "packed-refs")) || existsSync(join(gitDir, "refs/heads/main"));
}

/** Whether anything names a version. One that is being made has none yet, and git takes it for no repository at all. */
export function hasVersions(gitDir: string): boolean {
  return existsSync(join(gitDir, "packed-refs")) || hasFiles(join(gitDir, "refs"));
}

function hasFiles(directory: string): boolean {
  return entriesOf(directory).some((entry) =>
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
  const indexes = entriesOf(packs).filter(({ name }) => name.endsWith(".idx"));
  const bytes = Buffer.from(id, "hex");
  return indexes.some(({ name }) => bytesOf(join(packs, name))?.includes(bytes));
}

function packed(gitDir: string, ref: string): string | null {
  const line = textOf(join(gitDir, "packed-refs"))
    ?.split("\n")
    .find((each) => each.endsWith(` ${ref}`));
  return line?.split(" ")[0] ?? null;
}

function textOf(path: string): string | null {
  return bytesOf(path)?.toString("utf8") ?? null;
}

// What goes away while it is looked at is not there.
function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
