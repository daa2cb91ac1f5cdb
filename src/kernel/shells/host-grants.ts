// What the sandbox withheld from a failed command, as grants that an approval can give, and the paths that a grant opens. Hidden places, gsv's
// home, and directories that contain one of them are never opened.

import { accessSync, constants, existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Grant, writableIn } from "../../abi/grants.ts";
import { isInside } from "../../lib/inside.ts";
import type { Hidden } from "../../targets/hidden.ts";
import type { Granted } from "../../targets/sandbox.ts";
import { missedBy } from "../../targets/withheld.ts";

export interface GrantPlaces {
  readonly hidden: Hidden;
  /** The person's home and agents. */
  readonly env: { readonly [name: string]: string | undefined };
}

export interface FailedCommand {
  readonly output: string;
  readonly directory: string;
  /** What it had. */
  readonly granted: readonly Grant[];
  /** True if the directory has a repository that the sandbox guards. */
  readonly hasRepository: boolean;
}

/** Directories of a home that hold one directory for each program. */
const SHARED = /^(?:\.cache|\.config|\.local|\.local\/share|\.local\/state|go|Library|Library\/Caches)$/;

export function withheldFrom(
  { output, directory, granted, hasRepository }: FailedCommand,
  places: GrantPlaces,
): readonly Grant[] {
  const missed = missedBy(output);
  const had = new Set(granted);
  const opened = [directory, ...writableIn(granted)];
  const writes = missed.paths
    .filter((path) => !opened.some((each) => isInside(path, each)))
    .flatMap((path) => writableFor(path, places) ?? [])
    .filter((path) => !opened.some((each) => isInside(path, each)));
  const found: readonly Grant[] = [
    ...(missed.network ? (["network"] as const) : []),
    ...(missed.ssh && pathsOf("ssh", places).length > 0 ? (["ssh"] as const) : []),
    ...(missed.gpg && pathsOf("gpg", places).length > 0 ? (["gpg"] as const) : []),
    ...(missed.git === null || !hasRepository ? [] : [missed.git]),
    ...[...new Set(writes)].slice(0, WRITES_MAX).map((path): Grant => `write:${path}`),
  ];
  return found.filter((grant) => !had.has(grant));
}

const WRITES_MAX = 3;

/** Paths of the grants that may still be opened. A directory may have become a link since the approval. */
export function openedBy(grants: readonly Grant[], places: GrantPlaces): Granted {
  const writable = writableIn(grants).filter((path) => real(path) === path && mayOpen(path, places));
  const kinds = (["ssh", "gpg"] as const).filter((kind) => grants.includes(kind));
  const shown = kinds.flatMap((kind) => pathsOf(kind, places));
  const agent = grants.includes("ssh") ? agentSocket(places) : null;
  return { writable, shown, env: agent === null ? {} : { SSH_AUTH_SOCK: agent } };
}

/** True if there are keys or an agent that could be shown. */
export function hasSshKeys(env: GrantPlaces["env"]): boolean {
  return pathsOf("ssh", { env }).length > 0;
}

/** The directory to open so that the file can be written; null if that is too much, or would not help. */
function writableFor(path: string, places: GrantPlaces): string | null {
  const below = nearestDirectory(path);
  const home = real(places.env.HOME ?? "");
  const wanted = below !== null && home !== null && isInside(below, home) ? ownDirectory(below, home) : below;
  return wanted !== null && mayOpen(wanted, places) && isWritable(wanted) ? wanted : null;
}

function nearestDirectory(path: string): string | null {
  for (let at = path; at !== dirname(at); at = dirname(at))
    if (existsSync(at)) {
      const found = real(at);
      return found !== null && lstatSync(found).isDirectory() ? found : found && dirname(found);
    }
  return null;
}

/** The whole directory of a program, such as ~/.npm or ~/.cache/pip. A command rarely writes a single file there. */
function ownDirectory(directory: string, home: string): string {
  const names = relative(home, directory).split(sep).filter(Boolean);
  if (!names[0]?.startsWith(".") && !SHARED.test(names[0] ?? "")) return directory;
  let depth = 1;
  while (depth < names.length && SHARED.test(names.slice(0, depth).join("/"))) depth++;
  return join(home, ...names.slice(0, depth));
}

function mayOpen(path: string, { hidden, env }: GrantPlaces): boolean {
  const home = real(env.HOME ?? "");
  const closed = [...hidden.directories, ...hidden.files, ...(home === null ? [] : [home])];
  if (CLOSED.some((each) => isInside(path, each))) return false;
  const isTop = path.split("/").filter(Boolean).length < 2;
  if (isTop || hidden.own.some((each) => isInside(path, each) || isInside(each, path))) return false;
  return !closed.some((each) => isInside(each, path) || (each !== home && isInside(path, each)));
}

/** The system's own. */
const CLOSED = ["/proc", "/sys", "/dev", "/boot", "/etc"];
const KEYS = { ssh: [".ssh"], gpg: [".gnupg"] } as const;

function pathsOf(kind: "ssh" | "gpg", places: Pick<GrantPlaces, "env">): readonly string[] {
  const { env } = places;
  const agent = kind === "ssh" ? agentSocket(places) : real(join(env.XDG_RUNTIME_DIR ?? "/nonexistent", "gnupg"));
  const keys = KEYS[kind].flatMap((name) => real(join(env.HOME ?? "/nonexistent", name)) ?? []);
  return [...keys, ...(agent === null ? [] : [agent])];
}

function agentSocket({ env }: Pick<GrantPlaces, "env">): string | null {
  const path = real(env.SSH_AUTH_SOCK ?? "");
  return path !== null && lstatSync(path).isSocket() ? path : null;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function real(path: string): string | null {
  try {
    return path.startsWith("/") ? realpathSync(path) : null;
  } catch {
    return null;
  }
}
