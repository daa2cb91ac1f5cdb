// The directory on this computer where gsv was started, and the process that works there. A subdirectory belongs to the git worktree that
// holds it.

import type { ProcessInfo } from "../src/abi/process/process.ts";
import type { WorkspaceInfo } from "../src/abi/process/workspace.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { Io } from "./command.ts";
import { allProcesses } from "./proc/process-names.ts";

const PARENTS_MAX = 64;

export interface Here {
  readonly directory: string;
  readonly below: string;
}

export interface ProcessHere {
  readonly process: ProcessInfo;
  readonly workspace: WorkspaceInfo;
}

/** null in your home, in the root directory and outside of any directory: these are not projects. */
export async function findHere(io: Pick<Io, "host" | "env" | "cwd">): Promise<Here | null> {
  const host = await io.host();
  const look = (path: string) => host.look(path, { follow: true }).catch(() => null);
  const stood = await look(io.cwd);
  const home = io.env.HOME === undefined ? null : await look(io.env.HOME);
  if (stood?.kind !== "directory" || stood.real === "/" || stood.real === home?.real) return null;
  let at = stood.real;
  for (let step = 0; step < PARENTS_MAX && at !== "/" && at !== home?.real; step++) {
    if ((await look(`${at}/.git`)) !== null) return { directory: at, below: stood.real.slice(at.length + 1) };
    at = at.slice(0, at.lastIndexOf("/")) || "/";
  }
  return { directory: stood.real, below: "" };
}

/** The process named after the directory, else the most recently active one. */
export async function processHere(io: Io, directory: string): Promise<ProcessHere | null> {
  const workspace = await workspaceAt(io.sys(), directory);
  if (workspace === null || workspace.processes.length === 0) return null;
  const processes = (await allProcesses(io)).filter(({ workspaceId }) => workspaceId === workspace.id);
  const at = ({ lastActiveAt, createdAt }: ProcessInfo) => lastActiveAt ?? createdAt;
  const newest = processes.toSorted((left, right) => at(right) - at(left));
  const process = newest.find(({ label }) => label === nameOf(directory)) ?? newest[0];
  return process === undefined ? null : { process, workspace };
}

export function nameOf(directory: string): string {
  return directory.slice(directory.lastIndexOf("/") + 1);
}

async function workspaceAt(sys: Sys, directory: string): Promise<WorkspaceInfo | null> {
  for (let after: string | null = null; ; ) {
    const page: { workspaces: readonly WorkspaceInfo[]; next: string | null } = await sys.call("workspace.list", {
      ...(after === null ? {} : { after }),
    });
    const found = page.workspaces.find((each) => each.directory === directory);
    if (found !== undefined || page.next === null) return found ?? null;
    after = page.next;
  }
}
