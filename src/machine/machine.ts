// Facts about this computer and this program: memory, disk space, the end of a log file.

import { statfsSync } from "node:fs";
import { freemem, totalmem } from "node:os";
import type { MachinePorts } from "../../fs/proc/machine.ts";

export function machineOf(home: string): Omit<MachinePorts, "mounts"> {
  return {
    memory: () => ({ totalBytes: totalmem(), freeBytes: freemem() }),
    disk() {
      const { blocks, bavail, bsize } = statfsSync(home);
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
    },
  };
}

/** Memory of this program; 0 if it cannot be read, which happens when no descriptor is free. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** The last lines of a file, at most so many bytes; "" if there is no file. */
export async function endOfFile(path: string, bytesMax: number): Promise<string> {
  const file = Bun.file(path);
  if (!(await file.exists())) return "";
  const { size } = file;
  const text = await file.slice(Math.max(0, size - bytesMax), size).text();
  return size > bytesMax ? text.slice(text.indexOf("\n") + 1) : text;
}
