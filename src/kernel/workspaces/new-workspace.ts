// Which workspace a new process gets, and how a workspace is created: an empty tree of gsv's own, or a directory of the host. Only the
// owner may use a workspace.

import { mkdirSync } from "node:fs";
import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import { isWorkspaceId, type RandomBytes, workspaceId } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { Repos } from "../../repos/repos.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import { hostDirectoryNamed } from "./host-directories.ts";

export interface NewWorkspacePorts {
  readonly kernel: Pick<KernelStore, "workspaces" | "accounts">;
  readonly repos: () => Promise<Repos>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** gsv's own data directory: never a workspace. */
  readonly home: string;
  readonly log: (line: string) => void;
}

export interface ChosenWorkspace {
  readonly workspace: WorkspaceRow | null;
  /** Not stored yet: store it with the process, then call `beginTree`. */
  readonly isNew: boolean;
}

/** `wanted` is `new`, `inherit` (the default), `none`, a workspace id or a path of the host. */
export async function workspaceFor(
  ports: NewWorkspacePorts,
  context: CallContext,
  wish: {
    readonly wanted: string | undefined;
    readonly ownerUid: number;
    readonly parent: ProcessRow | null;
    readonly label: string | null;
  },
): Promise<ChosenWorkspace> {
  const { wanted = "inherit", ownerUid, parent, label } = wish;
  if (wanted === "none") return { workspace: null, isNew: false };
  if (wanted === "new") return { workspace: await newTree(ports, ownerUid, label), isNew: true };
  if (wanted === "inherit") {
    const workspace = parent?.workspaceId ? await ports.kernel.workspaces.get(parent.workspaceId) : null;
    return { workspace, isNew: false };
  }
  if (!isWorkspaceId(wanted)) {
    if (isPath(wanted)) return directoryNamed(ports, context, { path: wanted, ownerUid, label });
    throw new SysError("EINVAL", `not a workspace: ${wanted.slice(0, 80)}`, [
      "new, inherit, none, an id as gsv workspace list prints it, or a path with a slash in it: ./project",
    ]);
  }
  const workspace = activeOnly(await ports.kernel.workspaces.get(wanted), wanted);
  if (workspace.ownerUid !== ownerUid) throw noSuchWorkspace(wanted);
  return { workspace, isNew: false };
}

/** The wish with a checked id or directory, for a process that starts later. Creates nothing. */
export async function workspaceLater(
  ports: NewWorkspacePorts,
  context: CallContext,
  { wanted, ownerUid }: { readonly wanted: string; readonly ownerUid: number },
): Promise<string> {
  if (isPath(wanted) && !isWorkspaceId(wanted))
    return await hostDirectoryNamed(ports, context, { path: wanted, ownerUid });
  if (wanted !== "new" && wanted !== "inherit")
    await workspaceFor(ports, context, { wanted, ownerUid, parent: null, label: null });
  return wanted;
}

/** A bare name is not a path: it may be a mistyped id. */
export function isPath(text: string): boolean {
  return text.includes("/") || text === "." || text === "..";
}

export function noSuchWorkspace(id: string): SysError {
  return new SysError("ENOENT", `no such workspace: ${clip(id)}`, ["to list workspaces: gsv workspace list"]);
}

export function activeOnly(workspace: WorkspaceRow | null, id: string): WorkspaceRow {
  if (workspace === null) throw noSuchWorkspace(id);
  if (workspace.state === "active") return workspace;
  throw new SysError("EROFS", `workspace ${id} is archived`, [`to restore it: gsv workspace archive --undo ${id}`]);
}

/** Creates the directory. The row is not stored yet. */
export async function newTree(ports: NewWorkspacePorts, ownerUid: number, label: string | null): Promise<WorkspaceRow> {
  const repos = await ports.repos();
  if (repos.findGit() === null)
    throw new SysError("ENOSYS", "workspaces need git, which is not installed", [
      "install git: apt install git, brew install git",
    ]);
  const row = await fresh(ports, { ownerUid, label, directory: null });
  mkdirSync(repos.pathOf({ owner: await ownerName(ports, ownerUid), name: row.id }), { recursive: true, mode: 0o700 });
  return row;
}

/** Commits the first version, which names the owner. A failure is only logged: the workspace works without it. */
export async function beginTree(ports: NewWorkspacePorts, workspace: WorkspaceRow): Promise<void> {
  if (workspace.directory !== null) return;
  const { id, label, createdAt } = workspace;
  try {
    const owner = await ownerName(ports, workspace.ownerUid);
    const tree = (await ports.repos()).tree({ owner, name: id });
    const about = { workspaceId: id, ownerUid: workspace.ownerUid, ownerUsername: owner, label, createdAt };
    const { keepFiles } = await import("./kept-files.ts");
    const files = new Map([["workspace.json", `${JSON.stringify(about, null, 2)}\n`]]);
    await keepFiles(tree, { author: owner, message: "begin workspace" }, files);
  } catch (error) {
    ports.log(`no first commit in ${id}: ${messageOf(error)}`);
  }
}

/** The owner's workspace for a directory of the host. An archived one becomes active again. */
export async function directoryNamed(
  ports: NewWorkspacePorts,
  context: CallContext,
  { path, ownerUid, label }: { readonly path: string; readonly ownerUid: number; readonly label: string | null },
): Promise<ChosenWorkspace> {
  const directory = await hostDirectoryNamed(ports, context, { path, ownerUid });
  const known = await ports.kernel.workspaces.at(ownerUid, directory);
  if (known === null) return { workspace: await fresh(ports, { ownerUid, label, directory }), isNew: true };
  const change = { state: "active", updatedAt: ports.clock.now(), ...(label !== null && { label }) } as const;
  await ports.kernel.workspaces.change(known.id, change);
  return { workspace: { ...known, ...change }, isNew: false };
}

async function fresh(
  { kernel, clock, random }: NewWorkspacePorts,
  about: Pick<WorkspaceRow, "ownerUid" | "label" | "directory">,
): Promise<WorkspaceRow> {
  if ((await kernel.workspaces.count(about.ownerUid)) >= LIMITS.workspacesPerOwnerMax)
    throw new SysError("ELIMIT", `too many workspaces: the limit is ${LIMITS.workspacesPerOwnerMax} per account`);
  const now = clock.now();
  for (;;) {
    const id = workspaceId(about.directory === null ? "ws" : "dir", random);
    if ((await kernel.workspaces.get(id)) === null)
      return { id, ...about, state: "active", createdAt: now, updatedAt: now };
  }
}

export async function ownerName({ kernel }: Pick<NewWorkspacePorts, "kernel">, uid: number): Promise<string> {
  const account = await kernel.accounts.byUid(uid);
  if (account === null) throw new SysError("ENOENT", `account ${uid} does not exist`);
  return account.username;
}
