// The paths of a home, and whether the home may be used: it must be 0700 and ours. An empty directory is made private. A used one that others can
// read is refused with the fix, and never changed.

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { SysError } from "./abi/errno.ts";
import type { KernelInfo } from "./kernel/lifetime/lifetime.ts";
import { quoted } from "./lib/text/quote.ts";
import { clip, fits } from "./lib/text/truncate.ts";

export type HomePaths = ReturnType<typeof homePaths>;

const OWN_DIRECTORY = "set GSV_HOME to a directory of your own";

/** Shared directories below `/`. A home may be inside some of them, but cannot be one of them. */
const SHARED = new Set([
  ...["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "opt", "private", "proc", "root"],
  ...["run", "sbin", "srv", "sys", "tmp", "usr", "var", "Applications", "Library", "System", "Users", "Volumes"],
]);
/** The sticky bit of shared directories such as /tmp. */
const STICKY = 0o1000;
/** The limit for paths on Linux, less the names inside a home. */
const HOME_BYTES_MAX = 3840;
const SHOWN_CHARS_MAX = 240;

export function homePaths(gsvHome: string) {
  const home = resolve(gsvHome);
  const runDir = join(home, "run");
  const logDir = join(home, "log");
  return {
    home,
    kernelDb: join(home, "kernel.db"),
    /** The search index, derived from the histories. */
    indexDb: join(home, "index.db"),
    procDir: join(home, "proc"),
    objectsDir: join(home, "objects"),
    reposDir: join(home, "repos"),
    spoolDir: join(home, "spool"),
    crashDir: join(home, "crash"),
    backupDir: join(home, "backup"),
    quarantineDir: join(home, "quarantine"),
    secretsDir: join(home, "secrets"),
    /** Created by the person only. */
    hooksDir: join(home, "hooks.d"),
    runDir,
    lockFile: join(runDir, "kernel.lock"),
    socket: join(runDir, "kernel.sock"),
    kernelInfo: join(runDir, "kernel.json"),
    /** Emptied by each kernel. */
    temporaryDir: join(runDir, "tmp"),
    /** The lock of backup and restore. */
    keepLock: join(runDir, "keep.lock"),
    /** A committed restore that may be unfinished. */
    restoreInfo: join(runDir, "restore.json"),
    logDir,
    kernelLog: join(logDir, "kernel.log"),
    historyFile: join(home, "history"),
    /** The last message seen per process. */
    seenFile: join(home, "seen.json"),
    /** Directories where gsv does not ask whether it may work there. */
    skippedFile: join(home, "skipped.json"),
  } as const;
}

/** Throws ECONFIG for a wrong GSV_KERNEL_*_MS or GSV_KERNEL_MEMORY: a kernel that is started with it has nobody to report it to. */
export async function checkedEnvironment<Env extends { readonly [name: string]: string | undefined }>(
  env: Env,
): Promise<Env> {
  if (Object.keys(env).some((name) => /^GSV_KERNEL_(?:\w+_MS|MEMORY)$/.test(name)))
    (await import("./abi/config/config.ts")).configFrom(env);
  return env;
}

/** The real path of GSV_HOME, by default `~/.gsv`. */
export function homeFrom(gsvHome: string | undefined, personsHome: string): string {
  const home = named(gsvHome, personsHome);
  if (!fits(home, HOME_BYTES_MAX)) throw refused(home, "its path is too long", OWN_DIRECTORY);
  refuseShared(home);
  const real = realPathOf(home);
  refuseShared(real);
  return real;
}

function named(gsvHome: string | undefined, personsHome: string): string {
  if (!gsvHome) {
    if (personsHome === "")
      throw new SysError("ECONFIG", "HOME is empty", ["set it, or set GSV_HOME to a directory of your own"]);
    if (existsSync(personsHome)) return join(personsHome, ".gsv");
    throw new SysError("ECONFIG", `HOME is ${clip(personsHome)}, which does not exist`, [OWN_DIRECTORY]);
  }
  if (isAbsolute(gsvHome)) return resolve(gsvHome);
  throw new SysError("ECONFIG", `GSV_HOME is not an absolute path: ${gsvHome}`, [
    `for this directory: export GSV_HOME=${quoted(resolve(gsvHome))}`,
  ]);
}

function refuseShared(home: string): void {
  if (dirname(home) === "/" && (home === "/" || SHARED.has(basename(home))))
    throw refused(home, "it is a system directory", OWN_DIRECTORY);
}

/** Resolves the part of the path that exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // Later checks report other errors.
    if ((error as { code?: string }).code !== "ENOENT") return path;
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw refused(path, `it is a broken link to ${clip(readlinkSync(path))}`, OWN_DIRECTORY);
  return join(realPathOf(dirname(path)), basename(path));
}

/** Creates the home and its directories. Throws if the home cannot be used. */
export function prepareHome(paths: HomePaths, uid: number): void {
  const before = statHome(paths.home);
  if (before === undefined) makeDirectory(paths.home);
  else checkHome(paths.home, before, uid);
  const { procDir, objectsDir, reposDir, spoolDir, crashDir, backupDir, quarantineDir, secretsDir, runDir, logDir } =
    paths;
  for (const directory of [
    procDir,
    objectsDir,
    reposDir,
    spoolDir,
    crashDir,
    backupDir,
    quarantineDir,
    secretsDir,
    runDir,
    logDir,
  ]) {
    if (!existsSync(directory)) makeDirectory(directory);
    tighten(directory, uid);
  }
  for (const file of [paths.kernelDb, paths.lockFile, paths.kernelInfo, paths.kernelLog]) checkFile(file);
}

/** Whether there is a readable home. Changes nothing. */
export function isOwnHome({ home }: HomePaths, uid: number): boolean {
  const stats = statSync(home, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}

/** Facts about the last kernel, which may be dead. */
export function readKernelInfo(paths: HomePaths): KernelInfo | null {
  try {
    const info = JSON.parse(readFileSync(paths.kernelInfo, "utf8")) as KernelInfo;
    return Number.isSafeInteger(info.pid) && info.pid > 0 ? info : null;
  } catch {
    return null;
  }
}

function checkHome(home: string, stats: Stats, uid: number): void {
  if (!stats.isDirectory()) throw refused(home, "it is not a directory", OWN_DIRECTORY);
  if (stats.uid !== uid) throw foreign(home, stats, uid, OWN_DIRECTORY);
  if ((stats.mode & 0o077) === 0) return;
  if ((stats.mode & STICKY) !== 0) throw refused(home, "it is a shared directory", OWN_DIRECTORY);
  if (readdirSync(home).length > 0) {
    const why = `other users can read it (mode ${modeOf(stats)})`;
    if (hasKernelFiles(home)) throw refused(home, why, `chmod 700 ${quoted(home)}`);
    throw refused(home, `${why}, and it is not gsv's`, OWN_DIRECTORY);
  }
  setPrivate(home);
}

/** Whether a kernel has run here. Otherwise GSV_HOME may be a mistake, and nothing may be changed. */
function hasKernelFiles(home: string): boolean {
  const { kernelDb, lockFile } = homePaths(home);
  return existsSync(kernelDb) || existsSync(lockFile);
}

function setPrivate(directory: string): void {
  try {
    chmodSync(directory, 0o700);
  } catch (error) {
    throw refused(
      directory,
      `other users can read it, and its mode cannot be changed (${codeOf(error)})`,
      OWN_DIRECTORY,
    );
  }
}

// Links are followed, because objects may be on another disk.
function tighten(directory: string, uid: number): void {
  const stats = statOf(directory);
  if (stats === undefined) throw brokenLink(directory);
  if (!stats.isDirectory()) throw refused(directory, "it is not a directory", moveAway(directory));
  if (stats.uid !== uid) throw foreign(directory, stats, uid, `sudo chown -R ${uid} ${quoted(directory)}`);
  if ((stats.mode & 0o077) !== 0) setPrivate(directory);
}

/** Missing and unreadable ones are reported later. */
function checkFile(file: string): void {
  try {
    const stats = statOf(file);
    if (stats?.isFile()) return;
    if (stats?.isDirectory()) throw refused(file, IS_DIRECTORY, moveAway(file));
    if (stats !== undefined) throw refused(file, "it is not a regular file", moveAway(file));
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw brokenLink(file);
  } catch (error) {
    if (error instanceof SysError) throw error;
  }
}

/** Follows links; undefined for a broken link. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ELOOP") return undefined;
    throw error;
  }
}

/** For example objects on a disk that is not mounted. */
function brokenLink(path: string): SysError {
  const to = clip(readlinkSync(path));
  return refused(path, `it is a broken link to ${to}`, `restore the target, or remove the link: rm ${quoted(path)}`);
}

function moveAway(path: string): string {
  return `mv ${quoted(path)} ${quoted(`${path}.old`)}`;
}

/** Translates errors of the host about a path in a home; null for other errors. */
export function pathError(error: unknown): SysError | null {
  const { code = "", path } = error as { code?: string; path?: unknown };
  if (error instanceof SysError || typeof path !== "string") return null;
  if (code === "EACCES") return unreadablePart(path);
  if (!KINDS.has(code)) return null;
  const names = path.split("/");
  for (let depth = 2; depth <= names.length; depth++) {
    const here = names.slice(0, depth).join("/");
    const stats = statOf(here);
    if (stats?.isDirectory()) continue;
    if (stats !== undefined) return refused(here, "it is not a directory", moveAway(here));
    return lstatSync(here, { throwIfNoEntry: false }) === undefined ? null : brokenLink(here);
  }
  return code === "EISDIR" ? refused(path, IS_DIRECTORY, moveAway(path)) : null;
}

/** The first part of a path without access, else the last readable one. */
function unreadablePart(path: string): SysError {
  let last = "/";
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1)) {
    const here = path.slice(0, at);
    if (!canEnter(here)) return unreadable(here);
    last = here;
  }
  return unreadable(lstatSync(path, { throwIfNoEntry: false }) === undefined ? last : path);
}

function canEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function unreadable(path: string): SysError {
  return refused(path, `permission denied (mode ${modeOf(lstatSync(path))})`, `chmod u+rwX ${quoted(path)}`);
}

const KINDS = new Set(["EISDIR", "ENOTDIR", "ELOOP", "EEXIST", "ENOENT"]);
const IS_DIRECTORY = "it is a directory, not a file";

function statHome(home: string): Stats | undefined {
  try {
    return statSync(home, { throwIfNoEntry: false });
  } catch (error) {
    throw refused(home, `it cannot be read (${codeOf(error)})`, OWN_DIRECTORY);
  }
}

export function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return; // something else is there: the check that follows says what
    throw refused(directory, `it cannot be created (${code})`, OWN_DIRECTORY);
  }
}

export function refused(path: string, why: string, fix: string): SysError {
  const shown = path.length > SHOWN_CHARS_MAX ? `${path.slice(0, SHOWN_CHARS_MAX)}…` : path;
  return new SysError("ECONFIG", `cannot use ${shown}: ${why}`, [fix]);
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

export function foreign(path: string, stats: Stats, uid: number, fix: string): SysError {
  return refused(path, `it belongs to uid ${stats.uid}, not to you (uid ${uid})`, fix);
}

export function modeOf(stats: Stats): string {
  return `0${(stats.mode & 0o777).toString(8).padStart(3, "0")}`;
}

/** The login name: from the environment, else from the system. */
export function accountName(uid: number, told: string | undefined): string {
  if (told) return told;
  try {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((each) => each.split(":")[2] === String(uid));
    return line?.split(":")[0] ?? "";
  } catch {
    return "";
  }
}
