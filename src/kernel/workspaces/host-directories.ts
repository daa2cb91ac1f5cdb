// Where work is done: a workspace made for somebody, a directory of this machine that becomes one, and which of them a new process gets.
// Directories of this machine are named by persons: the home's own human, and root. A workspace is its owner's alone.

import { mkdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { isWorkspaceId, type RandomBytes, workspaceId } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { isInside } from "../../lib/inside.ts";
import type { Repos } from "../../repos/repos.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";

export interface WorkplacePorts {
  readonly kernel: Pick<KernelStore, "workspaces" | "accounts">;
  readonly repos: () => Promise<Repos>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Where gsv keeps its data: no place to work in. */
  readonly home: string;
  readonly log: (line: string) => void;
}

export interface Workplace {
  readonly workspace: WorkspaceRow | null;
  /** It is to be stored with the process that gets it, and begun after that. */
  readonly isNew: boolean;
}

/** Which workspace a new process gets: `new`, `inherit`, `none`, an id or a directory of this machine; its parent's when nothing is said. */
export async function workplaceFor(
  ports: WorkplacePorts,
  context: CallContext,
  wish: {
    readonly wanted: string | undefined;
    readonly ownerUid: number;
    readonly parent: ProcessRow | null;
    readonly label: string | null;
  },
): Promise<Workplace> {
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
      "new, inherit, none, an id as gsv workspace list prints it, or a directory with a slash in it: ./project",
    ]);
  }
  const workspace = activeOnly(await ports.kernel.workspaces.get(wanted), wanted);
  if (workspace.ownerUid !== ownerUid) throw noSuchWorkspace(wanted);
  return { workspace, isNew: false };
}

/** A name alone is no path: it could have been meant as something else. */
export function isPath(text: string): boolean {
  return text.includes("/") || text === "." || text === "..";
}

export function noSuchWorkspace(id: string): SysError {
  return new SysError("ENOENT", `no such workspace: ${id.slice(0, 80)}`, ["gsv workspace list shows those there are"]);
}

export function activeOnly(workspace: WorkspaceRow | null, id: string): WorkspaceRow {
  if (workspace === null) throw noSuchWorkspace(id);
  if (workspace.state === "active") return workspace;
  throw new SysError("EROFS", `${id} is archived: nobody works in it`, [`gsv workspace archive --undo ${id}`]);
}

/** Not stored yet. */
export async function newTree(ports: WorkplacePorts, ownerUid: number, label: string | null): Promise<WorkspaceRow> {
  const repos = await ports.repos();
  if (repos.findGit() === null)
    throw new SysError("ENOSYS", "there is no git on this machine, and it keeps the versions of a workspace", [
      "install git: apt install git, brew install git",
    ]);
  const row = await fresh(ports, { ownerUid, label, directory: null });
  mkdirSync(repos.pathOf({ owner: await ownerName(ports, ownerUid), name: row.id }), { recursive: true, mode: 0o700 });
  return row;
}

/** Its first version: what says whose it is. Whatever becomes of it, the workspace is there. */
export async function beginTree(ports: WorkplacePorts, workspace: WorkspaceRow): Promise<void> {
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
    ports.log(`the first version of ${id} was not made: ${messageOf(error)}`);
  }
}

/** The workspace that a directory of this machine is for that owner; one that was archived is taken back into use. */
export async function directoryNamed(
  ports: WorkplacePorts,
  context: CallContext,
  { path, ownerUid, label }: { readonly path: string; readonly ownerUid: number; readonly label: string | null },
): Promise<Workplace> {
  const directory = await machineDirectory(ports, context, { path, ownerUid });
  const known = await ports.kernel.workspaces.at(ownerUid, directory);
  if (known === null) return { workspace: await fresh(ports, { ownerUid, label, directory }), isNew: true };
  const change = { state: "active", updatedAt: ports.clock.now(), ...(label !== null && { label }) } as const;
  await ports.kernel.workspaces.change(known.id, change);
  return { workspace: { ...known, ...change }, isNew: false };
}

/** A directory of this machine that may be worked in, by whoever may name one. */
export async function machineDirectory(
  ports: Pick<WorkplacePorts, "home"> & { readonly kernel: Pick<KernelStore, "accounts"> },
  { caller, client }: CallContext,
  { path, ownerUid }: { readonly path: string; readonly ownerUid: number },
): Promise<string> {
  await needOwnMachine(ports, caller, ownerUid);
  return realDirectory(ports, isAbsolute(path) ? path : resolve(client?.cwd ?? "/", path));
}

async function needOwnMachine(
  { kernel }: { readonly kernel: Pick<KernelStore, "accounts"> },
  caller: Caller,
  ownerUid: number,
): Promise<void> {
  const human = await kernel.accounts.firstHuman();
  const isPerson = caller.kind === "person" && (isRoot(caller) || caller.uid === human?.uid);
  const isAllowed = caller.kind === "process" && caller.approved === true && caller.ownerUid === human?.uid;
  if ((isPerson || isAllowed) && (isRoot(caller) || ownerUid === caller.ownerUid)) return;
  throw new SysError("EPERM", "only the home's own human and root may attach directories of this machine", [
    "a workspace of gsv's own is made by: gsv workspace create",
  ]);
}

function realDirectory({ home }: Pick<WorkplacePorts, "home">, path: string): string {
  const directory = realOf(path);
  if (isInside(directory, realOf(home)))
    throw new SysError("EPERM", `${path} is in gsv's own home: it cannot be a workspace`);
  return directory;
}

function realOf(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    throw new SysError("ENOENT", `no such directory on this machine: ${path}`);
  }
  throw new SysError("ENOTDIR", `not a directory of this machine: ${path}`);
}

async function fresh(
  { kernel, clock, random }: WorkplacePorts,
  about: Pick<WorkspaceRow, "ownerUid" | "label" | "directory">,
): Promise<WorkspaceRow> {
  if ((await kernel.workspaces.count(about.ownerUid)) >= LIMITS.workspacesPerOwnerMax)
    throw new SysError("ELIMIT", `there are already ${LIMITS.workspacesPerOwnerMax} workspaces of this account`);
  const now = clock.now();
  for (;;) {
    const id = workspaceId(about.directory === null ? "ws" : "dir", random);
    if ((await kernel.workspaces.get(id)) === null)
      return { id, ...about, state: "active", createdAt: now, updatedAt: now };
  }
}

export async function ownerName({ kernel }: Pick<WorkplacePorts, "kernel">, uid: number): Promise<string> {
  const account = await kernel.accounts.byUid(uid);
  if (account === null) throw new SysError("ENOENT", `account ${uid} does not exist`);
  return account.username;
}
