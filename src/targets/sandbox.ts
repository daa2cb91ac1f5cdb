// The sandbox of host commands, as arguments: the directory is writable, the rest read-only, /tmp private, no network unless allowed, and
// gsv's home and sockets hidden, because a command could use them to act as the person. Pure, except for detection. The macOS part
// follows its documentation and is untested.

import { BUBBLE, BUBBLE_TRIAL, NO_NETWORK, OWN_DEVICES } from "../lib/bubblewrap.ts";
import type { Clock } from "../lib/clock.ts";
import { isInside } from "../lib/inside.ts";
import type { GitGuard } from "./git-guard.ts";
import type { Hidden } from "./hidden.ts";
import { first, INSIDE_FD } from "./leader.ts";

export interface Confinement {
  /** Working directory, writable. */
  readonly directory: string;
  readonly hidden: Hidden;
  readonly network: boolean;
  /** resolv.conf target: visible with network access. */
  readonly resolver: string | null;
  /** For macOS, which has no private /tmp. */
  readonly tmp: string;
  /** True on a terminal; else a leader supervises it. */
  readonly terminal: boolean;
  readonly granted: Granted;
  readonly git: GitGuard;
}

/** What an approval opened for one command. */
export interface Granted {
  /** Directories outside of the working directory. None contains a hidden path. */
  readonly writable: readonly string[];
  /** Hidden paths and sockets that it may read. */
  readonly shown: readonly string[];
  /** Changes to the environment. */
  readonly env: { readonly [name: string]: string };
}

export const NO_GRANTS: Granted = { writable: [], shown: [], env: {} };

export interface Sandbox {
  readonly name: "bwrap" | "sandbox-exec";
  /** Changes to the environment. */
  readonly env: { readonly [name: string]: string };
  wrap(argv: readonly string[], confinement: Confinement): readonly string[];
}

export interface SandboxPorts {
  readonly platform: string;
  readonly find: (program: string) => string | null;
  /** True if the program exits with 0. */
  readonly works: (argv: readonly string[]) => Promise<boolean>;
}

/** Fixed search path, independent of the person's PATH. */
export const SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";

/** Null if there is none, or it does not work. */
export async function findSandbox({ platform, find, works }: SandboxPorts): Promise<Sandbox | null> {
  const isDarwin = platform === "darwin";
  const name = isDarwin ? "sandbox-exec" : "bwrap";
  const program = find(name);
  if (program === null) return null;
  const trial = isDarwin ? [program, "-p", "(version 1)(allow default)", "/usr/bin/true"] : [program, ...BUBBLE_TRIAL];
  if (!(await works(trial))) return null;
  return isDarwin
    ? { name, env: {}, wrap: (argv, confinement) => seatbelt(program, argv, confinement) }
    : { name, env: { TMPDIR: "/tmp" }, wrap: (argv, confinement) => bubblewrap(program, argv, confinement) };
}

const LOOK_AGAIN_MS = 5000;

/** A found sandbox is kept; a missing one is looked for again from time to time. */
export function sandboxFinder(ports: SandboxPorts, clock: Pick<Clock, "mono">): () => Promise<Sandbox | null> {
  let looked: { readonly found: Promise<Sandbox | null>; readonly at: number } | null = null;
  return async () => {
    const isOld = looked === null || clock.mono() - looked.at >= LOOK_AGAIN_MS;
    if (looked === null || (isOld && (await looked.found) === null))
      looked = { found: findSandbox(ports), at: clock.mono() };
    return await looked.found;
  };
}

/** Mounted over by the sandbox itself. */
const COVERED = ["/dev", "/proc"];
/** NixOS: programs are reached through a hidden directory. */
const SYSTEM = "/run/current-system";

function bubblewrap(program: string, argv: readonly string[], confinement: Confinement): readonly string[] {
  const { directory, hidden, network, resolver, terminal, granted, git } = confinement;
  // Directories that contain the working directory are hidden before it is mounted, those inside it after. The working directory itself
  // is never hidden. Anything in a hidden directory is hidden with it, unless the working directory shows it again.
  const isShown = (place: string) => isInside(place, directory);
  const places = [...hidden.own, ...hidden.directories].filter((place) => place !== directory);
  const isHiddenBy = (path: string) => (place: string) =>
    place !== path && isInside(path, place) && isShown(path) === isShown(place);
  const isLeft = (path: string) => ![...places, ...COVERED].some(isHiddenBy(path));
  const [empty, files] = [places.filter(isLeft), hidden.files.filter(isLeft)];
  const hide = (isHere: (place: string) => boolean) => [
    ...empty.filter(isHere).flatMap((place) => ["--tmpfs", place]),
    ...files.filter(isHere).flatMap((file) => ["--dev-bind", "/dev/null", file]),
  ];
  const shown = [SYSTEM, ...(network && resolver !== null ? [resolver] : [])];
  return [
    ...[program, ...BUBBLE],
    ...(network ? [] : [NO_NETWORK]),
    ...(terminal ? [] : ["--new-session", "--as-pid-1", "--info-fd", String(INSIDE_FD)]),
    ...granted.writable.flatMap((path) => ["--bind-try", path, path]),
    ...hide((place) => !isShown(place)),
    ...shown.flatMap((path) => ["--ro-bind-try", path, path]),
    // Private /dev and /proc: the host's own show other processes.
    ...(directory === "/" ? ["--bind", "/", "/", ...OWN_DEVICES] : [...OWN_DEVICES, "--bind", directory, directory]),
    ...git.held.flatMap((path) => ["--bind", path, path]),
    ...git.readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...[...empty, ...files].filter(isShown).flatMap((place) => heldBetween(place, directory)),
    ...hide(isShown),
    ...granted.shown.flatMap((path) => ["--ro-bind-try", path, path]),
    // Read-only: files written there would be lost.
    ...empty.filter((place) => !hidden.own.includes(place)).flatMap((place) => ["--remount-ro", place]),
    ...["--chdir", directory, "--"],
    ...(terminal ? argv : first(argv)),
  ];
}

/** Binds parents of hidden paths: a parent could be renamed, which a mount point cannot. */
function heldBetween(place: string, directory: string): readonly string[] {
  const names = place.slice(directory.length).split("/").filter(Boolean).slice(0, -1);
  const root = directory === "/" ? "" : directory;
  const ways = names.map((_, index) => `${root}/${names.slice(0, index + 1).join("/")}`);
  return ways.flatMap((way) => ["--bind", way, way]);
}

/** Untested. */
function seatbelt(program: string, argv: readonly string[], confinement: Confinement): readonly string[] {
  const { directory, hidden, network, tmp, granted, git } = confinement;
  const under = (paths: readonly string[]) => paths.map((path) => `(subpath ${literal(path)})`).join(" ");
  const rules = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${under([directory, tmp, ...granted.writable])} (literal "/dev/null") (regex #"^/dev/tty"))`,
    ...(git.readOnly.length === 0 ? [] : [`(deny file-write* ${under(git.readOnly)})`]),
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    ...(network ? ["(deny network* (remote unix-socket))"] : ["(deny network*)"]),
    // The last matching rule wins.
    `(deny file-read* file-write* ${under([...hidden.directories, ...hidden.files])})`,
    ...(granted.shown.length === 0
      ? []
      : [`(allow file-read* ${under(granted.shown)})`, `(allow network-outbound ${under(granted.shown)})`]),
  ];
  return [program, "-p", rules.join(""), ...argv];
}

function literal(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
