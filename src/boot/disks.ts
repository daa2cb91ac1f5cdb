// Directories of this machine, each as a filesystem of its own: nothing in one leads out of it, and gsv's home is in none.

import { diskFs } from "../../fs/disk.ts";
import { Namespace } from "../../fs/namespace.ts";
import type { Core } from "../boot.ts";

export function disksOf({ kernel, machine }: Pick<Core, "kernel" | "machine">): (directory: string) => Namespace {
  const { clock, random, paths } = machine;
  const owner = async () => (await kernel.accounts.firstHuman()) ?? { uid: 0, gid: 0 };
  return (directory) =>
    new Namespace([{ at: "/", fs: diskFs({ directory, owner, shared: true, hidden: [paths.home], clock, random }) }]);
}
