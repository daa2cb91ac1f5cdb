// The descriptors of this process, which databases, clients, pipes and threads share. A thread without a free descriptor crashes the process,
// so check before starting one.

import { readdirSync, readFileSync } from "node:fs";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";

const CONNECTIONS_MIN = 8;
const DATABASES_MIN = 2;
/** A database, its WAL and its index. */
const OF_A_DATABASE = 3;
/** Two for a thread, and a few spare. */
const LEFT_FOR_A_THREAD = 12;
/** With a higher limit descriptors are not counted. */
const PLENTY = 4096;

/** The limit, if the system shows it. */
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

/** Another quarter for the databases of processes. */
export function openDatabasesMax(descriptors = descriptorsMax()): number {
  if (descriptors === null) return LIMITS.openProcessDatabasesMax;
  return Math.max(DATABASES_MIN, Math.min(LIMITS.openProcessDatabasesMax, Math.floor(descriptors / 4 / OF_A_DATABASE)));
}

/** Throws if a thread would find too few. */
export function needDescriptorsForThread(max = descriptorsMax, open = descriptorsOpen): void {
  const most = max();
  if (most === null || most > PLENTY || most - open() >= LEFT_FOR_A_THREAD) return;
  throw new SysError("EAGAIN", `cannot start another script: nearly all ${most} file descriptors are in use`, [
    "try again later, or raise the limit: ulimit -n, then gsv kernel restart",
  ]);
}

function descriptorsOpen(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    // Counting failed: no descriptor is free, or the system does not show them.
    return Number.POSITIVE_INFINITY;
  }
}
