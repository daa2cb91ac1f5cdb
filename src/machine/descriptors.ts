// How many descriptors this process may have. Databases, clients, pipes and threads all take of them; a thread that finds none left takes
// the whole process with it, so it is refused before.

import { readdirSync, readFileSync } from "node:fs";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";

const CONNECTIONS_MIN = 8;
const DATABASES_MIN = 2;
/** A database, its log and its index. */
const OF_A_DATABASE = 3;
/** Two for a thread, and some for who works beside it. */
const LEFT_FOR_A_THREAD = 12;
/** With more than this nothing here uses them up, and counting them is not worth its time. */
const PLENTY = 4096;

/** How many there may be, where the system shows it. */
function descriptorsMax(): number | null {
  try {
    const line = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return line === null ? null : Number(line[1]);
  } catch {
    return null;
  }
}

/** A quarter for clients. */
export function connectionsMax(descriptors = descriptorsMax()): number {
  if (descriptors === null) return LIMITS.connectionsMax;
  return Math.max(CONNECTIONS_MIN, Math.min(LIMITS.connectionsMax, Math.floor(descriptors / 4)));
}

/** And a quarter for the databases of processes. */
export function openDatabasesMax(descriptors = descriptorsMax()): number {
  if (descriptors === null) return LIMITS.openProcessDatabasesMax;
  return Math.max(DATABASES_MIN, Math.min(LIMITS.openProcessDatabasesMax, Math.floor(descriptors / 4 / OF_A_DATABASE)));
}

/** Throws where a thread would find too few. */
export function needDescriptorsForThread(max = descriptorsMax, open = descriptorsOpen): void {
  const most = max();
  if (most === null || most > PLENTY || most - open() >= LEFT_FOR_A_THREAD) return;
  throw new SysError("EAGAIN", `no room for another script: ${most} files may be open, and nearly all are`, [
    "try again when less runs, or give the kernel more: ulimit -n, then gsv kernel restart",
  ]);
}

function descriptorsOpen(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    // There is none left to count them with, or the system shows none: the one is known by the limit it showed.
    return Number.POSITIVE_INFINITY;
  }
}
