// The path of the socket of a home: in its run directory, or in a private directory if that path is too long to bind. The kernel creates and
// removes that directory. A client refuses a directory that is not ours.

import { existsSync, lstatSync, rmdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { sha256Hex } from "../lib/hash.ts";
import { quoted } from "../lib/text/quote.ts";
import { fits } from "../lib/text/truncate.ts";
import { foreign, type HomePaths, makeDirectory, modeOf, readKernelInfo, refused } from "../paths.ts";

/** A socket address is 108 bytes with its NUL. The socket is first bound with `.new` at the end. */
const SOCKET_BYTES_MAX = 107 - ".new".length;

export interface SocketSearch {
  readonly uid: number;
  readonly runtimeDir?: string | undefined;
}

export interface SocketPlace {
  readonly path: string;
  /** Whether a socket may exist there. Throws if the directory is not ours. A connection attempt to nothing would
   * cost a client 1 ms and 3 MiB. */
  mayServe(): boolean;
  /** Call before binding the socket. */
  make(): void;
  /** Call after the socket is removed. */
  leave(): void;
}

export function socketPlace(paths: HomePaths, search: SocketSearch): SocketPlace {
  const path = socketPathFor(paths, search);
  const directory = dirname(path);
  // The run directory was checked with the home.
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
      } catch {} // in use by another kernel, or not empty
    },
  };
}

function socketPathFor(paths: HomePaths, { uid, runtimeDir }: SocketSearch): string {
  if (fits(paths.socket, SOCKET_BYTES_MAX)) return paths.socket;
  // Clients with another XDG_RUNTIME_DIR, or none, use the path from kernel.json.
  const fromKernel = readKernelInfo(paths)?.socket;
  if (fromKernel !== undefined && fromKernel !== paths.socket && isPrivate(dirname(fromKernel), uid)) return fromKernel;
  const hash = nameOf(paths.home);
  if (runtimeDir !== undefined && isAbsolute(runtimeDir)) {
    const socket = join(runtimeDir, `gsv-${hash}`, "kernel.sock");
    if (fits(socket, SOCKET_BYTES_MAX) && isPrivate(runtimeDir, uid)) return socket;
  }
  return join("/tmp", `gsv-${uid}-${hash}`, "kernel.sock");
}

/** The same for every path to this directory. */
function nameOf(home: string): string {
  const stats = statSync(home, { bigint: true, throwIfNoEntry: false });
  const which = stats === undefined ? home : `${stats.dev}:${stats.ino}`;
  return sha256Hex(which).slice(0, 16);
}

/** False if nothing is there. Does not follow links, whose creator could choose the place of our socket. */
function checkPrivate(directory: string, uid: number): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) throw refused(directory, "it is not a directory", `rm ${quoted(directory)}`);
  if (stats.uid !== uid) throw foreign(directory, stats, uid, "set GSV_HOME to a shorter path");
  if ((stats.mode & 0o077) !== 0)
    throw refused(directory, `other users can open it (mode ${modeOf(stats)})`, `chmod 700 ${quoted(directory)}`);
  return true;
}

function isPrivate(directory: string, uid: number): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}
