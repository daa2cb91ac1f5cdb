// Where on this machine a command runs: for a person where they stand, for a process the directory it names, else the one attached to its
// workspace, else where the person stood whose message it works on. Paths are real ones; gsv's own home is no place to work in.

import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { SysError } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import { isInside } from "../../lib/inside.ts";
import type { AttachmentRows } from "../../store/kernel/processes/directories.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import { StoreUnavailable } from "../../store/open.ts";

export interface HostPlacesPorts {
  readonly attachments: AttachmentRows;
  readonly clock: Clock;
  /** Where gsv keeps its data. */
  readonly home: string;
  /** The directory of the person whose message the process's run works on. */
  readonly personsDirectory: (pid: string) => Promise<string | null>;
}

export interface HostPlace {
  readonly directory: string;
  /** A person has said yes to it before. */
  readonly attached: boolean;
}

export class HostPlaces {
  constructor(private readonly ports: HostPlacesPorts) {}

  /** Of a process; refused where there is none, or none that may be used. */
  async ofProcess(row: ProcessRow, wanted: string | undefined): Promise<HostPlace> {
    const attached = await this.ports.attachments.of(scopeOf(row));
    const named = wanted ?? attached[0] ?? (await this.ports.personsDirectory(row.pid));
    if (named === null)
      throw new SysError("EINVAL", "no directory of the host is attached to this process", [
        "say which with cwd: an absolute path of the machine",
      ]);
    const directory = this.real(named);
    return { directory, attached: attached.includes(directory) };
  }

  /** Directories of the host that a person has attached for it. */
  attachedTo(row: ProcessRow): Promise<readonly string[]> {
    return this.ports.attachments.of(scopeOf(row));
  }

  /** Where its relative paths start; null where nothing is attached, and no person stands where one may work. */
  async baseOf(row: ProcessRow): Promise<HostPlace | null> {
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

  /** Whether all these names lead to something below a directory, links followed; of what is not there the name says it. */
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

  /** Whether no link is on the way there, so that `..` leads back the way it came; of what is not there nothing is entered. */
  isPlain(path: string): boolean {
    try {
      return realpathSync(path) === path;
    } catch {
      return !existsSync(path);
    }
  }

  /** The directory a path of the host stands for. */
  real(path: string): string {
    return workplace(path, this.ports.home);
  }
}

/** The directory a path of the host stands for, where commands may run. */
export function workplace(path: string, home: string): string {
  if (!isAbsolute(path)) throw new SysError("EINVAL", `not an absolute path of the host: ${path}`);
  const directory = resolved(path);
  if (existsSync(home) && isInside(directory, resolved(home)))
    throw new SysError("EPERM", `${path} is gsv's own home: no command runs there`);
  return directory;
}

function scopeOf({ workspaceId, pid }: ProcessRow): string {
  return workspaceId ?? pid;
}

function resolved(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    throw new SysError("ENOENT", `no such directory on the host: ${path}`);
  }
  throw new SysError("ENOTDIR", `not a directory on the host: ${path}`);
}
