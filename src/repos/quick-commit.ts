// Commits a few small files of a working tree without starting git, under git's own locks and in its own formats. Git itself handles
// everything else: unusual settings, an unusual index, large files, packed heads, a lock that is taken.

import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Author } from "./git.ts";
import {
  changeEntries,
  type Entry,
  entryOf,
  idOf,
  indexBytes,
  isUnchanged,
  markUnsure,
  readIndex,
  treesOf,
  uncertain,
} from "./index-file.ts";
import { type NewObject, newObject, readLoose, storeLoose, writeSynced } from "./loose-objects.ts";

export interface TreeCommit {
  readonly directory: string;
  readonly author: Author;
  readonly message: string;
  /** Relative to the directory. */
  readonly paths: readonly string[];
  /** Expected in info/attributes: bytes are stored unchanged. */
  readonly attributes: string;
  /** Called under the lock: true if an operation of another git is in progress. */
  readonly isBusy: () => boolean;
  /** Removes abandoned locks; returns whether there were any. */
  readonly freeLocks: () => boolean;
}

const BRANCH = "refs/heads/main";
const TRIES_MAX = 8;
const RETRY_MS = 10;
const PATHS_MAX = 16;
const FILE_BYTES_MAX = 256 * 1024;
const INDEX_BYTES_MAX = 2 * 1024 * 1024;
const UNCERTAIN_MAX = 300;
/** Settings that do not matter to a commit. */
const SECTION = /^\[(?:receive|user|alias|color|remote "[^"\\]*"|branch "[^"\\]*")\]$/;
const CORE = /^(?:repositoryformatversion = 0|bare = false|symlinks = false|filemode = true|logallrefupdates = true)$/;
const PLAIN_AUTHOR = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** False if git must do it; then nothing is lost or half done. Waits a moment for another git. */
export async function commitQuickly(commit: TreeCommit, clock: Clock): Promise<boolean> {
  const gitDir = join(commit.directory, ".git");
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    try {
      return await locked(join(gitDir, "index"), (lock) => commitLocked(commit, gitDir, lock));
    } catch (error) {
      // Git finds any other fault too, and has the words for it.
      if (!(error instanceof Overtaken)) return false;
    }
    if (attempt > 1 || !commit.freeLocks()) await clock.sleep(RETRY_MS);
  }
  return false;
}

/** Another git has the lock, or has moved the branch. */
class Overtaken extends Error {}

async function commitLocked(commit: TreeCommit, gitDir: string, lock: string): Promise<boolean> {
  const { directory, author, paths } = commit;
  if (commit.isBusy() || !isPlain(gitDir, commit) || paths.length > PATHS_MAX) return false;
  const place = join(gitDir, "index");
  const { size, mtimeNs } = statSync(place, { bigint: true });
  const index = size > INDEX_BYTES_MAX ? null : readIndex(readFileSync(place));
  const parent = textOf(join(gitDir, BRANCH)).trim();
  const before = readLoose(gitDir, parent);
  const treeBefore = /^tree ([0-9a-f]{40})\n/.exec(before?.body.toString("latin1", 0, 46) ?? "")?.[1];
  if (index === null || before?.kind !== "commit" || treeBefore === undefined) return false;
  const changes = new Map<string, Entry | null>();
  const blobs: NewObject[] = [];
  for (const path of paths) {
    const change = changeOf(directory, path);
    if (change === "unusual") return false;
    changes.set(latin1(path), change?.entry ?? null);
    if (change !== null) blobs.push(change.blob);
  }
  const changed = changeEntries(index.entries, changes);
  const doubtful = changed && uncertain(changed, mtimeNs).filter(({ name }) => !changes.has(name));
  if (changed === null || doubtful === null || doubtful.length > UNCERTAIN_MAX) return false;
  const unsure = new Set(doubtful.filter((entry) => isModified(directory, entry, mtimeNs)));
  const entries = changed.map((entry) => (unsure.has(entry) ? markUnsure(entry) : entry));
  const { root, fresh } = treesOf(entries, index.trees, new Set(changes.keys()));
  const made = newObject("commit", commitBody(commit, root.id, parent));
  const isSame = root.id === treeBefore;
  const objects = isSame ? blobs : [...blobs, ...fresh, made];
  const distinct = new Map(objects.map((object) => [object.id, object]));
  await Promise.all([...distinct.values()].map((object) => storeLoose(gitDir, object)));
  writeFileSync(lock, indexBytes(entries, root));
  if (!isSame) await advance(gitDir, { from: parent, to: made.id, author, message: commit.message });
  renameSync(lock, place);
  return true;
}

/** Null for a file that is gone. */
function changeOf(directory: string, path: string): { entry: Entry; blob: NewObject } | "unusual" | null {
  const names = path.split("/");
  if (names.some(isUnusual) || Buffer.byteLength(path) > 1000) return "unusual";
  for (let depth = 1; depth < names.length; depth++) {
    const above = lstatSync(join(directory, ...names.slice(0, depth)), { throwIfNoEntry: false });
    if (above === undefined) return null;
    if (!above.isDirectory()) return "unusual";
  }
  const place = join(directory, path);
  const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile() || stat.size > FILE_BYTES_MAX) return "unusual";
  const content = readFileSync(place);
  if (BigInt(content.byteLength) !== stat.size) return "unusual";
  const blob = newObject("blob", content);
  return { entry: entryOf(latin1(path), stat, blob.id), blob };
}

/** Names that git refuses, or reads differently on some system. */
function isUnusual(name: string): boolean {
  if (process.platform === "darwin" && /[^ -~]/.test(name)) return true;
  return name === "" || /^\.+$|^\.git|[\\:~\u0000-\u001f\u007f\u200c-\u206f\ufeff]|[. ]$/i.test(name);
}

function latin1(path: string): string {
  return Buffer.from(path).toString("latin1");
}

/** A file that differs from its entry although their times may be equal. */
function isModified(directory: string, entry: Entry, written: bigint): boolean {
  const place = join(directory, Buffer.from(entry.name, "latin1").toString("utf8"));
  const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || isUnchanged(entry, stat, written)) return false;
  if (!stat.isFile() || stat.size > FILE_BYTES_MAX) return true;
  return newObject("blob", readFileSync(place)).id !== idOf(entry);
}

function isPlain(gitDir: string, { author, message, attributes }: TreeCommit): boolean {
  if (message.trim() === "" || !PLAIN_AUTHOR.test(author.name) || existsSync(join(gitDir, "commondir"))) return false;
  if (textOf(join(gitDir, "info/attributes")) !== attributes) return false;
  let section = "";
  return textOf(join(gitDir, "config"))
    .split("\n")
    .map((line) => line.trim())
    .every((line) => {
      if (line.startsWith("[")) section = line;
      else if (section === "[core]") return line === "" || CORE.test(line);
      return line === "" || line === "[core]" || SECTION.test(section);
    });
}

function commitBody({ author, message }: TreeCommit, tree: string, parent: string): Buffer {
  const who = signature(author);
  return Buffer.from(`tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\n${message}`);
}

function signature({ name, at }: Author): string {
  return `${name} <${name}@gsv> ${Math.floor(at / 1000)} +0000`;
}

interface Advance {
  readonly from: string;
  readonly to: string;
  readonly author: Author;
  readonly message: string;
}

/** Moves the branch under its lock and that of HEAD, with the log lines that git writes. */
async function advance(gitDir: string, { from, to, author, message }: Advance): Promise<void> {
  await locked(join(gitDir, "HEAD"), async () => {
    await locked(join(gitDir, BRANCH), async (lock) => {
      const isThere = textOf(join(gitDir, "HEAD")).trim() === `ref: ${BRANCH}`;
      if (!isThere || textOf(join(gitDir, BRANCH)).trim() !== from) throw new Overtaken();
      await writeSynced(lock, `${to}\n`);
      const subject = (message.split("\n")[0] ?? "").replace(/\s+/g, " ").trim();
      const line = `${from} ${to} ${signature(author)}\tcommit: ${subject}\n`;
      for (const log of ["logs/HEAD", `logs/${BRANCH}`]) await appendFile(join(gitDir, log), line);
      renameSync(lock, join(gitDir, BRANCH));
      return true;
    });
    return false;
  });
}

/** Holds git's lock of a file. The work returns true once it has renamed the lock into place: from then on it may be another git's. */
async function locked(file: string, work: (lock: string) => Promise<boolean>): Promise<boolean> {
  const lock = `${file}.lock`;
  try {
    closeSync(openSync(lock, "wx"));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? new Overtaken() : error;
  }
  let isRenamed = false;
  try {
    isRenamed = await work(lock);
    return isRenamed;
  } finally {
    if (!isRenamed) rmSync(lock, { force: true });
  }
}

function textOf(path: string): string {
  return readFileSync(path, "utf8");
}
