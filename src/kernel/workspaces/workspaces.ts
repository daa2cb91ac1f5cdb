// The service behind workspace.*. A workspace is visible to its owner and root only. Processes may create and read workspaces; calls that affect
// the host or other processes are for people.

import { existsSync } from "node:fs";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { isWorkspaceId } from "../../abi/ids.ts";
import type { WorkspaceInfo } from "../../abi/process/workspace.ts";
import { logOf } from "../../repos/browse.ts";
import { pathInside } from "../../repos/names.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Workspaces } from "../../syscalls/repo/workspace.ts";
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
  const info = (row: WorkspaceRow) => workspaceInfo(kernel, row);

  async function place(caller: Caller, pid: string, workspace: WorkspaceRow): Promise<void> {
    const row = await visibleProcess(kernel, caller, pid);
    if (row.ownerUid !== workspace.ownerUid)
      throw new SysError("EPERM", `${pid} and ${workspace.id} belong to different accounts`);
    await kernel.processes.set(pid, { workspaceId: workspace.id, cwd: `/workspaces/${workspace.id}` });
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
        throw new SysError("EINVAL", `no version history: ${id} is a directory on this computer`, [
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
          throw new SysError("EINVAL", "PID is missing: which process should use the workspace?", [
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

async function workspaceInfo(kernel: KernelStore, row: WorkspaceRow): Promise<WorkspaceInfo> {
  const { id, label, state, directory, createdAt, updatedAt } = row;
  const processes = (await kernel.processes.inWorkspace(id)).map(({ pid }) => pid);
  const owner = (await kernel.accounts.byUid(row.ownerUid))?.username ?? String(row.ownerUid);
  return { id, label, owner, state, path: `/workspaces/${id}`, directory, processes, createdAt, updatedAt };
}

/** Path, and repository if there is one: host directories, empty trees and homes without git have none. */
async function filesOf(ports: WorkspacesPorts, row: WorkspaceRow) {
  if (row.directory !== null) return { repository: null, files: row.directory };
  const repos = await ports.repos();
  const name = { owner: await ownerName(ports, row.ownerUid), name: row.id };
  const files = repos.pathOf(name);
  const hasVersions = repos.findGit() !== null && existsSync(`${files}/.git/HEAD`);
  return { repository: hasVersions ? repos.open(name) : null, files };
}
