// What this machine has, as files of gsv tell it.

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
