// Workspaces for the mount at /workspaces: owner, tree and host directory.

import { diskFs } from "../../../fs/disk/disk.ts";
import type { MountedWorkspace, WorkspacesOptions } from "../../../fs/repo/workspaces.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Repos } from "../../repos/repos.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { realPaths } from "./real-paths.ts";

export interface MountedWorkspacesPorts {
  readonly kernel: Pick<KernelStore, "workspaces" | "accounts">;
  readonly repos: () => Promise<Repos>;
  readonly paths: { readonly home: string; readonly reposDir: string };
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export function mountedWorkspaces(ports: MountedWorkspacesPorts): WorkspacesOptions {
  const { kernel, repos, paths, clock, random } = ports;
  return {
    async find(caller, id) {
      const row = await kernel.workspaces.get(id);
      if (row === null || (row.ownerUid !== caller.ownerUid && caller.uid !== 0)) return null;
      const owner = await kernel.accounts.byUid(row.ownerUid);
      return owner && { id, archived: row.state === "archived", owner, directory: row.directory };
    },
    async list(caller) {
      const owner = caller.uid === 0 ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.workspaces.list({ ...owner, archived: false, limit: LIMITS.workspacesPerOwnerMax });
      return rows.map(({ id }) => id);
    },
    aliases: realPaths(kernel),
    directoryOf: ({ owner, id }) => `${paths.reposDir}/${owner.username}/${id}`,
    treeOf: async ({ owner, id }) => (await repos()).tree({ owner: owner.username, name: id }),
    disk: ({ owner }: MountedWorkspace, directory) =>
      diskFs({ directory, owner: async () => owner, shared: true, hidden: [paths.home], clock, random }),
  };
}
