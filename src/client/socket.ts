// Where the socket of a home lies: in its run directory, or in a private directory of its own where that path would be too long to
// bind. Such a directory is made by the kernel that is to serve there and taken away as it leaves; a client goes to none that is not ours.

import { existsSync, lstatSync, rmdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { sha256Hex } from "../lib/hash.ts";
import { quoted } from "../lib/text/quote.ts";
import { fits } from "../lib/text/truncate.ts";
import { foreign, type HomePaths, makeDirectory, modeOf, readKernelInfo, refused } from "../paths.ts";

/** A socket address is 108 bytes with its closing NUL; the name it is bound under first is `.new` longer. */
const SOCKET_BYTES_MAX = 107 - ".new".length;

export interface SocketSearch {
  readonly uid: number;
  /** XDG_RUNTIME_DIR, when it is set. */
  readonly runtimeDir?: string | undefined;
}

export interface SocketPlace {
  readonly path: string;
  /** Whether a kernel may be met there; throws when somebody else has put something in its place. Trying to connect to nothing would
   * cost a client 1 ms and 3 MiB. */
  mayServe(): boolean;
  /** Before a socket is bound there. */
  make(): void;
  /** When nobody is to be met there any more. */
  leave(): void;
}

/** Looks at a home that is there; makes nothing. */
export function socketPlace(paths: HomePaths, search: SocketSearch): SocketPlace {
  const path = socketPathFor(paths, search);
  const directory = dirname(path);
  // The run directory is the home's: whoever prepared the home has looked at it.
  if (directory === paths.runDir) return { path, mayServe: () => existsSync(path), make() {}, leave() {} };
  const { uid } = search;
  return {
    path,
    mayServe: () => checkPrivate(directory, uid) && existsSync(path),
    make() {
      makeDirectory(directory);
      checkPrivate(directory, uid);
    },
    leave() {
      try {
        rmdirSync(directory);
      } catch {} // another kernel is there already, or somebody keeps something in it
    },
  };
}

function socketPathFor(paths: HomePaths, { uid, runtimeDir }: SocketSearch): string {
  if (fits(paths.socket, SOCKET_BYTES_MAX)) return paths.socket;
  // Clients that were given another XDG_RUNTIME_DIR, or none, meet the kernel where it says it is.
  const told = readKernelInfo(paths)?.socket;
  if (told !== undefined && told !== paths.socket && isPrivate(dirname(told), uid)) return told;
  const hash = nameOf(paths.home);
  if (runtimeDir !== undefined && isAbsolute(runtimeDir)) {
    const socket = join(runtimeDir, `gsv-${hash}`, "kernel.sock");
    if (fits(socket, SOCKET_BYTES_MAX) && isPrivate(runtimeDir, uid)) return socket;
  }
  return join("/tmp", `gsv-${uid}-${hash}`, "kernel.sock");
}

/** The same for every path that leads to this directory. */
function nameOf(home: string): string {
  const stats = statSync(home, { bigint: true, throwIfNoEntry: false });
  const which = stats === undefined ? home : `${stats.dev}:${stats.ino}`;
  return sha256Hex(which).slice(0, 16);
}

/** False when nothing is there. Links are not followed: one would let whoever made it choose where our socket lies. */
function checkPrivate(directory: string, uid: number): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) throw refused(directory, "it is not a directory", `rm ${quoted(directory)}`);
  if (stats.uid !== uid) throw foreign(directory, stats, uid, "set GSV_HOME to a shorter path");
  if ((stats.mode & 0o077) !== 0)
    throw refused(directory, `others can reach it (mode ${modeOf(stats)})`, `chmod 700 ${quoted(directory)}`);
  return true;
}

function isPrivate(directory: string, uid: number): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}
