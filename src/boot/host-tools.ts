// The file tools on the target host, put together: all of this machine but gsv's own home, what the system says of its programs, and where
// sockets and keys lie.

import { realpathSync } from "node:fs";
import { diskFs } from "../../fs/disk/disk.ts";
import { hostFs } from "../../fs/disk/host.ts";
import { notedFs } from "../../fs/disk/recorded.ts";
import { Namespace } from "../../fs/namespace.ts";
import type { Core } from "../boot.ts";
import { notedWrites } from "../kernel/files/file-history.ts";
import { HostFiles } from "../kernel/files/host-files.ts";
import { KnownFiles } from "../kernel/files/known-files.ts";
import type { HostParts } from "../workers/shell-workers.ts";

// Devices are no files, so no tool opens one.
const SYSTEM = ["/proc", "/sys"];
/** Looking for them takes a moment. */
const KNOWN_MS = 5000;

export function bootHostFiles(
  { kernel, processes: store, machine, onFault }: Core,
  { hostShells, places, env, ...host }: HostParts,
): HostFiles {
  const { clock, random, paths } = machine;
  const home = realpathSync(paths.home);
  let known: { readonly at: number; readonly paths: readonly string[] } | null = null;
  const unseen = () => {
    const now = clock.mono();
    if (known === null || now - known.at > KNOWN_MS) {
      const { directories, files } = host.hidden();
      known = { at: now, paths: [...SYSTEM, ...directories, ...files] };
    }
    return known.paths;
  };
  const owner = async () => (await kernel.accounts.firstHuman()) ?? { uid: 0, gid: 0 };
  const rowOf = (pid: string) => kernel.processes.get(pid);
  const disk = () => diskFs({ directory: "/", owner, shared: true, hidden: [home], clock, random });
  const fs = hostFs({
    disk,
    unseen,
    attached: async ({ pid }) => {
      const row = pid === undefined ? null : await rowOf(pid);
      return row === null ? [] : await places.attachedTo(row);
    },
  });
  const noted = notedWrites({ kernel, clock, onFault }, "host");
  return new HostFiles({
    namespace: new Namespace([{ at: "/", fs: notedFs(fs, noted) }], clock.now()),
    known: new KnownFiles({ store, kernel, clock }, "host"),
    places,
    rowOf,
    authorise: (caller) => hostShells.authorise(caller),
    personsHome: env.HOME,
    findProgram: host.findProgram,
    hidden: () => [home, ...unseen()],
  });
}
