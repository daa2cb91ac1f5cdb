// Real paths in gsv: inside a directory of the host that the account has attached, they lead to its files under /workspaces. gsv's own tree
// wins at its own places: its mounts, homes and what belongs to a home. A real path elsewhere is gsv's own, or absent.

import type { Alias, Aliases } from "../../../fs/alias.ts";
import { split } from "../../../fs/path.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { isWorkspaceId } from "../../abi/ids.ts";
import { VERSIONED } from "../../abi/repo.ts";
import { isInside } from "../../lib/inside.ts";
import { shortPath } from "../../lib/short-path.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";

type Stored = Pick<KernelStore, "workspaces" | "accounts">;

/** Trees of gsv that no directory of the host replaces, nor one inside them. */
const TREES =
  /^\/(?:proc|sys|dev(?!\/shm(?:\/|$))|bin|agents|usr\/local\/bin|mnt\/host|var\/(?:sessions|media|spool|crash|log\/gsv))(?:\/|$)/;
/** Directories that hold those trees. */
const ABOVE = /^\/(?:tmp|home|workspaces|etc|usr|usr\/local|mnt|var|var\/log)?$/;
const HOME = /^\/(?:root|home\/([^/]+))(?:\/([^/]+).*)?$/;
const OF_HOMES: ReadonlySet<string> = new Set([...VERSIONED, "hooks.d"]);

export function realPaths(kernel: Stored): Aliases {
  return {
    async around(caller, path) {
      if (TREES.test(path) || isWorkspaceId(workspaceIn(path))) return null;
      const rows = await kernel.workspaces.around(isRoot(caller) ? null : caller.ownerUid, path);
      for (const row of ownFirst(rows, caller)) {
        const alias = aliasOf(row);
        if (alias !== null && !(await isOwn(kernel, alias.path))) return alias;
      }
      return null;
    },
    async below(caller, path) {
      if (TREES.test(path) || isWorkspaceId(workspaceIn(path))) return [];
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.workspaces.list({ ...owner, archived: true, limit: LIMITS.workspacesPerOwnerMax });
      const ways = new Set<string>();
      for (const { directory } of rows)
        if (directory !== null && directory !== path && isInside(directory, path) && !(await isOwn(kernel, directory)))
          ways.add(split(directory)[split(path).length] ?? "");
      return [...ways].sort();
    },
    async ofMounted(caller, path) {
      const row = await directoryAt(kernel, path);
      return row === null || (row.ownerUid !== caller.ownerUid && !isRoot(caller)) ? null : aliasOf(row);
    },
  };
}

/** The path on the host of a file in gsv that lies there; else the same path. */
export async function realPathIn(kernel: Pick<Stored, "workspaces">, path: string): Promise<string> {
  const row = await directoryAt(kernel, path);
  return row?.directory == null ? path : row.directory + path.slice(`/workspaces/${row.id}`.length);
}

/** A text of gsv about files: with the real paths of the account's directories, where these lead to them. */
export async function inRealPaths(kernel: Stored, ownerUid: number, text: string): Promise<string> {
  let out = text;
  for (const [at, id = ""] of text.matchAll(/\/workspaces\/(dir_[a-z0-9]+)(?![a-z0-9])/g)) {
    const { directory = null, ownerUid: owner } = (await kernel.workspaces.get(id)) ?? {};
    if (directory !== null && owner === ownerUid && !(await isOwn(kernel, directory)))
      out = out.replace(at, () => directory);
  }
  return out;
}

/** The real paths that lead to an account's directories, also as they are written from its home. */
export async function attachedPaths(kernel: Stored, ownerUid: number): Promise<readonly string[]> {
  const { workspaces, accounts } = kernel;
  const rows = await workspaces.list({ ownerUid, archived: true, limit: LIMITS.workspacesPerOwnerMax });
  const home = (await accounts.byUid(ownerUid))?.home;
  const paths: string[] = [];
  for (const { directory } of rows)
    if (directory !== null && !(await isOwn(kernel, directory))) paths.push(directory, shortPath(directory, home));
  return paths;
}

async function directoryAt({ workspaces }: Pick<Stored, "workspaces">, path: string): Promise<WorkspaceRow | null> {
  const id = workspaceIn(path);
  const row = isWorkspaceId(id) ? await workspaces.get(id) : null;
  return row?.directory == null ? null : row;
}

function aliasOf({ id, directory }: WorkspaceRow): Alias | null {
  return directory === null ? null : { path: directory, at: `/workspaces/${id}` };
}

/** The longest first: of several accounts with the same directory, root sees its own. */
function ownFirst(rows: readonly WorkspaceRow[], { ownerUid }: Caller): readonly WorkspaceRow[] {
  const other = ({ ownerUid: uid }: WorkspaceRow) => Number(uid !== ownerUid);
  const depth = ({ directory }: WorkspaceRow) => directory?.length ?? 0;
  return rows.toSorted((left, right) => depth(right) - depth(left) || other(left) - other(right));
}

/** gsv has a directory of its own there. */
async function isOwn({ accounts }: Pick<Stored, "accounts">, directory: string): Promise<boolean> {
  if (TREES.test(directory) || ABOVE.test(directory)) return true;
  const [all, name, below] = HOME.exec(directory) ?? [];
  if (all === undefined) return false;
  if (below === undefined) return name === undefined || (await accounts.byName(name)) !== null;
  return OF_HOMES.has(below);
}

/** The name below /workspaces; "" for other paths. */
function workspaceIn(path: string): string {
  return /^\/workspaces\/([^/]+)/.exec(path)?.[1] ?? "";
}
