// The directory on this computer where gsv was started, and the process that works there. A subdirectory belongs to the git worktree that
// holds it, or else to the attached directory that holds it.

import type { ProcessInfo } from "../src/abi/process/process.ts";
import type { WorkspaceInfo } from "../src/abi/process/workspace.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { Io } from "./command.ts";
import { allProcesses } from "./proc/process-names.ts";

const PARENTS_MAX = 64;

export interface Here {
  readonly directory: string;
  readonly below: string;
  /** The directories above it that may be attached instead, nearest first. */
  readonly above: readonly string[];
}

export interface ProcessHere {
  readonly process: ProcessInfo;
  readonly workspace: WorkspaceInfo;
  /** The attached directory, and where gsv was started below it. */
  readonly directory: string;
  readonly below: string;
}

/** null in your home, in the root directory and outside of any directory: these are not projects. A kernel elsewhere has no directories here. */
export async function findHere(io: Pick<Io, "host" | "env" | "cwd" | "remotes">): Promise<Here | null> {
  if ((await io.remotes.current()) !== null) return null;
  const host = await io.host();
  const look = (path: string) => host.look(path, { follow: true }).catch(() => null);
  const stood = await look(io.cwd);
  const home = io.env.HOME === undefined ? null : await look(io.env.HOME);
  if (stood?.kind !== "directory" || stood.real === "/" || stood.real === home?.real) return null;
  const above: string[] = [];
  let at = stood.real;
  for (let step = 0; step < PARENTS_MAX && at !== "/" && at !== home?.real; step++) {
    if ((await look(`${at}/.git`)) !== null) return { directory: at, below: belowOf(at, stood.real), above: [] };
    if (at !== stood.real) above.push(at);
    at = at.slice(0, at.lastIndexOf("/")) || "/";
  }
  return { directory: stood.real, below: "", above };
}

function belowOf(directory: string, path: string): string {
  return path.slice(directory.length + 1);
}

/** The process named after the directory, else the most recently active one. */
export async function processHere(io: Io, here: Here): Promise<ProcessHere | null> {
  const workspace = await workspaceAt(io.sys(), [here.directory, ...here.above]);
  if (workspace?.directory == null) return null;
  const { directory } = workspace;
  const processes = (await allProcesses(io)).filter(({ workspaceId }) => workspaceId === workspace.id);
  const at = ({ lastActiveAt, createdAt }: ProcessInfo) => lastActiveAt ?? createdAt;
  const newest = processes.toSorted((left, right) => at(right) - at(left));
  const process = newest.find(({ label }) => label === nameOf(directory)) ?? newest[0];
  const below = directory === here.directory ? here.below : belowOf(directory, here.directory);
  return process === undefined ? null : { process, workspace, directory, below };
}

export function nameOf(directory: string): string {
  return directory.slice(directory.lastIndexOf("/") + 1);
}

/** The first of the directories that is attached and has a process. */
async function workspaceAt(sys: Sys, directories: readonly string[]): Promise<WorkspaceInfo | null> {
  let best: WorkspaceInfo | null = null;
  let rank = directories.length;
  for (let after: string | null = null; ; ) {
    const page: { workspaces: readonly WorkspaceInfo[]; next: string | null } = await sys.call("workspace.list", {
      ...(after === null ? {} : { after }),
    });
    for (const each of page.workspaces) {
      const at = each.directory === null || each.processes.length === 0 ? -1 : directories.indexOf(each.directory);
      if (at !== -1 && at < rank) [best, rank] = [each, at];
    }
    if (page.next === null || rank === 0) return best;
    after = page.next;
  }
}
