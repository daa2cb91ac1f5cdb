// Where things lie in a home, and whether that home may be used: it is 0700 and ours. A fresh empty one is tightened; one that others
// can reach and that holds something is refused with the command that mends it. Pure but for the directories it makes and looks at.

import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { SysError } from "./abi/errno.ts";
import type { KernelInfo } from "./kernel/lifetime.ts";
import { quoted } from "./lib/quote.ts";

export type HomePaths = ReturnType<typeof homePaths>;

/** A socket address is 108 bytes with its closing NUL; the name it is bound under first is `.new` longer. */
const SOCKET_BYTES_MAX = 107 - ".new".length;

const OWN_DIRECTORY = "set GSV_HOME to a directory of your own";

export function homePaths(gsvHome: string) {
  const home = resolve(gsvHome);
  const runDir = join(home, "run");
  const logDir = join(home, "log");
  return {
    home,
    kernelDb: join(home, "kernel.db"),
    procDir: join(home, "proc"),
    objectsDir: join(home, "objects"),
    spoolDir: join(home, "spool"),
    crashDir: join(home, "crash"),
    backupDir: join(home, "backup"),
    quarantineDir: join(home, "quarantine"),
    secretsDir: join(home, "secrets"),
    runDir,
    lockFile: join(runDir, "kernel.lock"),
    socket: join(runDir, "kernel.sock"),
    kernelInfo: join(runDir, "kernel.json"),
    /** Held by whoever makes a backup or restores one. */
    keepLock: join(runDir, "keep.lock"),
    /** A restore that has been decided and may have to be finished. */
    restoreInfo: join(runDir, "restore.json"),
    logDir,
    kernelLog: join(logDir, "kernel.log"),
    historyFile: join(home, "history"),
  } as const;
}

/** Which directory GSV_HOME, or without it the person's own home, stands for. */
export function homeFrom(gsvHome: string | undefined, personsHome: string): string {
  if (!gsvHome) return join(personsHome, ".gsv");
  if (isAbsolute(gsvHome)) return gsvHome;
  throw new SysError("ECONFIG", `GSV_HOME is relative: ${gsvHome}`, [
    `it would be another home in every directory; here: export GSV_HOME=${quoted(resolve(gsvHome))}`,
  ]);
}

/** Makes the home and its directories, or says why it cannot be used. */
export function prepareHome(paths: HomePaths, uid: number): void {
  const before = look(paths.home);
  if (before === undefined) makeDirectory(paths.home);
  else checkHome(paths.home, before, uid);
  const { procDir, objectsDir, spoolDir, crashDir, backupDir, quarantineDir, secretsDir, runDir, logDir } = paths;
  for (const directory of [
    procDir,
    objectsDir,
    spoolDir,
    crashDir,
    backupDir,
    quarantineDir,
    secretsDir,
    runDir,
    logDir,
  ]) {
    makeDirectory(directory);
    tighten(directory, uid);
  }
}

/** Whether there is a home that may be read as it is. Makes and mends nothing. */
export function isOwnHome({ home }: HomePaths, uid: number): boolean {
  const stats = statSync(home, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}

/** What the last kernel wrote of itself; advice only, it may be dead. */
export function readKernelInfo(paths: HomePaths): KernelInfo | null {
  try {
    const info = JSON.parse(readFileSync(paths.kernelInfo, "utf8")) as KernelInfo;
    return Number.isSafeInteger(info.pid) && info.pid > 0 ? info : null;
  } catch {
    return null;
  }
}

export interface SocketSearch {
  readonly uid: number;
  /** XDG_RUNTIME_DIR, when it is set. */
  readonly runtimeDir?: string | undefined;
}

/** The socket of a home: in its run directory, or in a private short one where that path would be too long to bind. */
export function socketPathFor(paths: HomePaths, search: SocketSearch): string {
  if (Buffer.byteLength(paths.socket) <= SOCKET_BYTES_MAX) return paths.socket;
  const hash = new Bun.CryptoHasher("sha256").update(paths.home).digest("hex").slice(0, 16);
  const { uid, runtimeDir } = search;
  // Clients that were given another XDG_RUNTIME_DIR, or none, meet the kernel where it says it is.
  const told = readKernelInfo(paths)?.socket;
  if (told !== undefined && told !== paths.socket && isPrivate(dirname(told), uid)) return told;
  if (runtimeDir !== undefined && isAbsolute(runtimeDir)) {
    const socket = join(runtimeDir, `gsv-${hash}`, "kernel.sock");
    if (Buffer.byteLength(socket) <= SOCKET_BYTES_MAX && isPrivate(runtimeDir, uid)) return inPrivate(socket, uid);
  }
  return inPrivate(join("/tmp", `gsv-${uid}-${hash}`, "kernel.sock"), uid);
}

function inPrivate(socket: string, uid: number): string {
  const directory = dirname(socket);
  makeDirectory(directory);
  checkPrivate(directory, uid);
  return socket;
}

function checkHome(home: string, stats: Stats, uid: number): void {
  if (!stats.isDirectory()) throw refused(home, "it is not a directory", `mv ${quoted(home)} ${quoted(`${home}.old`)}`);
  if (stats.uid !== uid) throw foreign(home, stats, uid, OWN_DIRECTORY);
  if ((stats.mode & 0o077) === 0) return;
  if (readdirSync(home).length > 0) {
    throw refused(home, `others can reach what it holds (mode ${mode(stats)})`, `chmod 700 ${quoted(home)}`);
  }
  chmodSync(home, 0o700);
}

// Inside a private home nobody else can have got at it. Links are followed: a person may keep objects on another disk.
function tighten(directory: string, uid: number): void {
  const stats = statSync(directory);
  if (!stats.isDirectory())
    throw refused(directory, "it is not a directory", `mv ${quoted(directory)} ${quoted(`${directory}.old`)}`);
  if (stats.uid !== uid) throw foreign(directory, stats, uid, `sudo chown -R ${uid} ${quoted(directory)}`);
  if ((stats.mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

// Not followed: a link here would let whoever made it choose where our sockets and databases lie.
function checkPrivate(directory: string, uid: number): void {
  const stats = lstatSync(directory);
  if (!stats.isDirectory()) throw refused(directory, "it is not a directory", `rm ${quoted(directory)}`);
  if (stats.uid !== uid) throw foreign(directory, stats, uid, "set GSV_HOME to a shorter path");
  if ((stats.mode & 0o077) !== 0)
    throw refused(directory, `others can reach it (mode ${mode(stats)})`, `chmod 700 ${quoted(directory)}`);
}

function isPrivate(directory: string, uid: number): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}

function look(home: string): Stats | undefined {
  try {
    return statSync(home, { throwIfNoEntry: false });
  } catch (error) {
    throw refused(home, `it cannot be looked at (${(error as { code?: string }).code})`, OWN_DIRECTORY);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EEXIST") return; // something else is there: the check that follows says what
    throw refused(directory, `it cannot be made (${code})`, OWN_DIRECTORY);
  }
}

function refused(path: string, why: string, fix: string): SysError {
  return new SysError("ECONFIG", `cannot use ${path}: ${why}`, [fix]);
}

function foreign(path: string, stats: Stats, uid: number, fix: string): SysError {
  return refused(path, `it belongs to uid ${stats.uid}, not to you (uid ${uid})`, fix);
}

function mode(stats: Stats): string {
  return `0${(stats.mode & 0o777).toString(8).padStart(3, "0")}`;
}

/** Who the operating system says this is; the environment knows it best, but a service has none. */
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
