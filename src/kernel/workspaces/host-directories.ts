// Directories of the host: which one a command runs in, and which may be used at all. A process uses the directory it names, else the one
// attached to it, else the working directory of the person whose message it handles. Paths are real paths; gsv's own home is refused.

import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { SysError } from "../../abi/errno.ts";
import { isRoot } from "../../abi/identity.ts";
import { NO_DIRECTORY } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import { isInside } from "../../lib/inside.ts";
import type { AttachmentRows } from "../../store/kernel/processes/directories.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";

export interface HostDirectoriesPorts {
  readonly attachments: AttachmentRows;
  readonly clock: Clock;
  /** gsv's own data directory. */
  readonly home: string;
  /** Working directory of the person whose message the process handles. */
  readonly personsDirectory: (pid: string) => Promise<string | null>;
}

export interface HostDirectory {
  readonly directory: string;
  /** A person has approved it before. */
  readonly attached: boolean;
}

export class HostDirectories {
  constructor(private readonly ports: HostDirectoriesPorts) {}

  async ofProcess(row: ProcessRow, wanted: string | undefined): Promise<HostDirectory> {
    const attached = await this.ports.attachments.of(scopeOf(row));
    const named = wanted ?? attached[0] ?? (await this.ports.personsDirectory(row.pid));
    if (named === null)
      throw new SysError("EINVAL", "no directory of this computer is attached to this process", [
        "pass cwd: an absolute path",
      ]);
    const directory = this.real(named);
    return { directory, attached: attached.includes(directory) };
  }

  attachedTo(row: ProcessRow): Promise<readonly string[]> {
    return this.ports.attachments.of(scopeOf(row));
  }

  /** Where relative paths start; null if nothing is attached and the person's directory cannot be used. */
  async baseOf(row: ProcessRow): Promise<HostDirectory | null> {
    try {
      return await this.ofProcess(row, undefined);
    } catch (error) {
      if (error instanceof StoreUnavailable || !(error instanceof SysError)) throw error;
      return null;
    }
  }

  async attach(row: ProcessRow, directory: string): Promise<void> {
    await this.ports.attachments.attach(scopeOf(row), directory, this.ports.clock.now());
  }

  /** True if all names lead below the directory, links followed. Missing files are judged by name. */
  holds(directory: string, names: readonly string[], from: string = directory): boolean {
    return names.every((name) => {
      const path = resolve(from, name);
      if (name.startsWith("~") || !isInside(path, directory)) return false;
      try {
        return isInside(realpathSync(path), directory);
      } catch {
        return true;
      }
    });
  }

  /** True if no link is on the way, so that `..` leads back the same way, or if nothing is there. */
  isPlain(path: string): boolean {
    try {
      return realpathSync(path) === path;
    } catch {
      return !existsSync(path);
    }
  }

  real(path: string): string {
    return hostDirectory(path, this.ports.home);
  }
}

function scopeOf({ workspaceId, pid }: ProcessRow): string {
  return workspaceId ?? pid;
}

/** The real path of a directory of the host that may be worked in. */
export function hostDirectory(path: string, home: string): string {
  if (!isAbsolute(path)) throw new SysError("EINVAL", `not an absolute path: ${path}`);
  const directory = realDirectory(path);
  if (existsSync(home) && isInside(directory, realDirectory(home)))
    throw new SysError("EPERM", `${path} is in gsv's own home, which is off limits`);
  return directory;
}

function realDirectory(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    throw new SysError("ENOENT", `no such directory on this computer: ${path}`);
  }
  throw new SysError("ENOTDIR", `not a directory on this computer: ${path}`);
}

/** The same for a path that a caller names. Only the home's own human, root, and a call that they approved may name one. */
export async function hostDirectoryNamed(
  { kernel, home }: { readonly kernel: Pick<KernelStore, "accounts">; readonly home: string },
  { caller, client }: CallContext,
  { path, ownerUid }: { readonly path: string; readonly ownerUid: number },
): Promise<string> {
  const human = await kernel.accounts.firstHuman();
  const isPerson = caller.kind === "person" && (isRoot(caller) || caller.uid === human?.uid);
  const isApproved = caller.kind === "process" && caller.approved === true && caller.ownerUid === human?.uid;
  if (!(isPerson || isApproved) || !(isRoot(caller) || ownerUid === caller.ownerUid))
    throw new SysError("EPERM", "only the owner of this home and root can attach directories", [
      "for a workspace inside gsv: gsv workspace create",
    ]);
  if (!isAbsolute(path) && client?.cwd === NO_DIRECTORY)
    throw new SysError("EINVAL", `${path}: directories of a client's own computer cannot be attached here`, [
      "give the absolute path of a directory on the kernel's computer",
    ]);
  return hostDirectory(isAbsolute(path) ? path : resolve(client?.cwd ?? "/", path), home);
}

const ANCESTORS_MAX = 8;

interface DirectoryPorts {
  readonly kernel: Pick<KernelStore, "processes" | "attachments">;
  readonly processes: Pick<ProcessStore, "head" | "context">;
}

/** The working directory of the sender, else the one attached to an ancestor. */
export async function personsDirectory({ kernel, processes }: DirectoryPorts, pid: string): Promise<string | null> {
  const { currentRun } = await processes.head(pid);
  for (const { role, runId, origin } of await processes.context(pid))
    if (role === "user" && runId === currentRun && origin?.kind === "client" && origin.cwd !== undefined)
      return origin.cwd;
  let parent = (await kernel.processes.get(pid))?.parentPid ?? null;
  for (let level = 0; parent !== null && level < ANCESTORS_MAX; level++) {
    const row = await kernel.processes.get(parent);
    const [attached] = row === null ? [] : await kernel.attachments.of(row.workspaceId ?? row.pid);
    if (attached !== undefined) return attached;
    parent = row?.parentPid ?? null;
  }
  return null;
}
