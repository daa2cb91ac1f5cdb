// Directories of this machine, each as a filesystem of its own: nothing in one leads out of it, and gsv's home is in none.

import { diskFs } from "../../fs/disk/disk.ts";
import { notedFs } from "../../fs/disk/recorded.ts";
import { Namespace } from "../../fs/namespace.ts";
import type { Core } from "../boot.ts";
import { notedWrites } from "../kernel/files/file-history.ts";

type Parts = Pick<Core, "kernel" | "machine" | "onFault">;

export function disksOf({ kernel, machine, onFault }: Parts): (directory: string) => Namespace {
  const { clock, random, paths } = machine;
  const owner = async () => (await kernel.accounts.firstHuman()) ?? { uid: 0, gid: 0 };
  const noted = notedWrites({ kernel, clock, onFault }, "host");
  return (directory) => {
    const fs = diskFs({ directory, owner, shared: true, hidden: [paths.home], clock, random });
    return new Namespace([{ at: "/", fs: notedFs(fs, noted, directory) }]);
  };
}
