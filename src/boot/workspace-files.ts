// What the mount at /workspaces asks for: whose a workspace is, where its tree lies, and the directory of this machine that it is.

import { diskFs } from "../../fs/disk/disk.ts";
import type { MountedWorkspace, WorkspacesOptions } from "../../fs/repo/workspaces.ts";
import { LIMITS } from "../abi/config/limits.ts";
import type { WorkspaceMachine } from "./workspaces.ts";

export function mountedWorkspaces(machine: Omit<WorkspaceMachine, "log">): WorkspacesOptions {
  const { kernel, repos, paths, clock, random } = machine;
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
    directoryOf: ({ owner, id }) => `${paths.reposDir}/${owner.username}/${id}`,
    treeOf: async ({ owner, id }) => (await repos()).tree({ owner: owner.username, name: id }),
    disk: ({ owner }: MountedWorkspace, directory) =>
      diskFs({ directory, owner: async () => owner, shared: true, hidden: [paths.home], clock, random }),
  };
}
