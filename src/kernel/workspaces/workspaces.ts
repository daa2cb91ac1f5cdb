// Workspaces as callers see them. One is its owner's and root's; for everybody else it is not there. Processes may make them and look at
// them; what concerns this machine or other processes is a person's.

import { existsSync } from "node:fs";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { isWorkspaceId } from "../../abi/ids.ts";
import type { WorkspaceInfo } from "../../abi/process/workspace.ts";
import { logOf } from "../../repos/browse.ts";
import { pathInside } from "../../repos/names.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Workspaces } from "../../syscalls/repo/workspace-service.ts";
import { nextPlace, placeOf } from "../pages.ts";
import { visibleProcess } from "../registry.ts";
import {
  activeOnly,
  beginTree,
  directoryNamed,
  isPath,
  type NewWorkspacePorts,
  newTree,
  noSuchWorkspace,
  ownerName,
} from "./new-workspace.ts";

export interface WorkspacesPorts extends NewWorkspacePorts {
  readonly kernel: KernelStore;
}

async function visibleWorkspace(
  { workspaces }: Pick<KernelStore, "workspaces">,
  caller: Caller,
  id: string,
): Promise<WorkspaceRow> {
  const row = isWorkspaceId(id) ? await workspaces.get(id) : null;
  if (row === null || (row.ownerUid !== caller.ownerUid && !isRoot(caller))) throw noSuchWorkspace(id);
  return row;
}

export function workspacesService(ports: WorkspacesPorts): Workspaces {
  const { kernel, clock } = ports;
  const visible = (caller: Caller, id: string) => visibleWorkspace(kernel, caller, id);
  const info = (row: WorkspaceRow) => infoOf(kernel, row);

  async function place(caller: Caller, pid: string, workspace: WorkspaceRow): Promise<void> {
    const row = await visibleProcess(kernel, caller, pid);
    if (row.ownerUid !== workspace.ownerUid)
      throw new SysError("EPERM", `${pid} and ${workspace.id} belong to different accounts`);
    await kernel.processes.place(pid, { workspaceId: workspace.id, cwd: `/workspaces/${workspace.id}` });
    await kernel.workspaces.change(workspace.id, { updatedAt: clock.now() });
  }

  return {
    async list(caller, { all, limit, after }) {
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.workspaces.list({ ...owner, archived: all, limit: limit + 1, ...placeOf(after) });
      const shown = rows.slice(0, limit);
      const infos: WorkspaceInfo[] = [];
      for (const row of shown) infos.push(await info(row));
      return { workspaces: infos, next: nextPlace(shown.at(-1), rows.length > limit) };
    },

    async get(caller, id) {
      const row = await visible(caller, id);
      const { repository, files } = await filesOf(ports, row);
      return { ...(await info(row)), head: (await repository?.head()) ?? null, files };
    },

    async log(caller, { id, path, limit, offset }) {
      const row = await visible(caller, id);
      const { repository } = await filesOf(ports, row);
      if (row.directory !== null)
        throw new SysError("EINVAL", `${id} is a directory of this machine: gsv keeps no versions of it`, [
          `git -C ${row.directory} log`,
        ]);
      const inside = path === undefined ? {} : { path: pathInside(path) };
      return { commits: repository === null ? [] : await logOf(repository, { ref: "HEAD", limit, offset, ...inside }) };
    },

    async create({ caller }, { label }) {
      const row = await newTree(ports, caller.ownerUid, label ?? null);
      await kernel.workspaces.create(row);
      await beginTree(ports, row);
      return info(row);
    },

    async attach(context, { what, pid, label }) {
      const { caller } = context;
      if (!isPath(what)) {
        const row = activeOnly(await visible(caller, what), what);
        if (pid === undefined)
          throw new SysError("EINVAL", "say which process is to work in it", [
            `gsv workspace attach ${what} --pid PID`,
          ]);
        if (label !== undefined) await kernel.workspaces.change(row.id, { label, updatedAt: clock.now() });
        await place(caller, pid, row);
        return info((await kernel.workspaces.get(row.id)) ?? row);
      }
      const ownerUid = pid === undefined ? caller.ownerUid : (await visibleProcess(kernel, caller, pid)).ownerUid;
      const wish = { path: what, ownerUid, label: label ?? null };
      const { workspace, isNew } = await directoryNamed(ports, context, wish);
      if (workspace === null) throw noSuchWorkspace(what);
      if (isNew) await kernel.workspaces.create(workspace);
      if (pid !== undefined) await place(caller, pid, workspace);
      return info(workspace);
    },

    async archive({ caller }, { id, undo }) {
      const row = await visible(caller, id);
      const change = { state: undo ? "active" : "archived", updatedAt: clock.now() } as const;
      await kernel.workspaces.change(row.id, change);
      return info({ ...row, ...change });
    },
  };
}

async function infoOf(kernel: KernelStore, row: WorkspaceRow): Promise<WorkspaceInfo> {
  const { id, label, state, directory, createdAt, updatedAt } = row;
  const processes = (await kernel.processes.inWorkspace(id)).map(({ pid }) => pid);
  const owner = (await kernel.accounts.byUid(row.ownerUid))?.username ?? String(row.ownerUid);
  return { id, label, owner, state, path: `/workspaces/${id}`, directory, processes, createdAt, updatedAt };
}

/** Where they lie, and the repository of a tree of gsv's own; none before its first version, and where there is no git. */
async function filesOf(ports: WorkspacesPorts, row: WorkspaceRow) {
  if (row.directory !== null) return { repository: null, files: row.directory };
  const repos = await ports.repos();
  const name = { owner: await ownerName(ports, row.ownerUid), name: row.id };
  const files = repos.pathOf(name);
  const hasVersions = repos.findGit() !== null && existsSync(`${files}/.git/HEAD`);
  return { repository: hasVersions ? repos.open(name) : null, files };
}
