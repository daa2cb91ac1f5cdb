// Directories of the host, each as a filesystem of its own. No path leads out of one, and none contains gsv's home.

import { diskFs } from "../../fs/disk/disk.ts";
import { recordedFs } from "../../fs/disk/recorded.ts";
import { Namespace } from "../../fs/namespace.ts";

import type { RandomBytes } from "../abi/ids.ts";
import { notedWrites } from "../kernel/files/file-history.ts";
import type { Clock } from "../lib/clock.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";

export interface DisksPorts {
  readonly kernel: KernelStore;
  readonly machine: { readonly clock: Clock; readonly random: RandomBytes; readonly paths: { readonly home: string } };
  readonly onFault: (error: unknown) => void;
}

export function disksOf({ kernel, machine, onFault }: DisksPorts): (directory: string) => Namespace {
  const { clock, random, paths } = machine;
  const owner = async () => (await kernel.accounts.firstHuman()) ?? { uid: 0, gid: 0 };
  const noted = notedWrites({ kernel, clock, onFault }, "host");
  return (directory) => {
    const fs = diskFs({ directory, owner, shared: true, hidden: [paths.home], clock, random });
    return new Namespace([{ at: "/", fs: recordedFs(fs, noted, directory) }]);
  };
}
