// The sandbox a command of the host runs in, as the words that go before it: its directory may be written, the rest only be read, /tmp is
// its own, there is no network unless that was allowed, and gsv's home and every place where sockets lie are hidden: without that a
// command would reach the kernel as the person. Pure but for asking whether the machine has one. The words for macOS are written by its manual
// and were never run: no machine of that kind was at hand.

import { BUBBLE, BUBBLE_TRIAL, NO_NETWORK, OWN_DEVICES } from "../lib/bubblewrap.ts";
import type { Clock } from "../lib/clock.ts";
import { isInside } from "../lib/inside.ts";
import type { Hidden } from "./hidden.ts";
import { first, INSIDE_FD } from "./leader.ts";

export interface Confinement {
  /** Where it works and may write. */
  readonly directory: string;
  readonly hidden: Hidden;
  readonly network: boolean;
  /** Where names of machines are looked up: shown with the network, wherever it lies. */
  readonly resolver: string | null;
  /** On macOS, where there is no /tmp of its own. */
  readonly tmp: string;
  /** It is on a terminal of its own; else it is one that a leader stands over. */
  readonly terminal: boolean;
}

export interface Sandbox {
  readonly name: "bwrap" | "sandbox-exec";
  /** What is otherwise there. */
  readonly env: { readonly [name: string]: string };
  /** The same program, inside. */
  wrap(argv: readonly string[], confinement: Confinement): readonly string[];
}

export interface SandboxPorts {
  readonly platform: string;
  readonly find: (program: string) => string | null;
  /** Whether a program comes to a good end. */
  readonly works: (argv: readonly string[]) => Promise<boolean>;
}

/** Where it is looked for: never where a person's PATH may lead. */
export const SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";

/** Null where the machine has none, or has one that may not do its work. */
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

/** The one there is stays; where there is none, somebody may put it in: it is looked for again, now and then. */
export function sandboxFinder(ports: SandboxPorts, clock: Pick<Clock, "mono">): () => Promise<Sandbox | null> {
  let looked: { readonly found: Promise<Sandbox | null>; readonly at: number } | null = null;
  return async () => {
    const isOld = looked === null || clock.mono() - looked.at >= LOOK_AGAIN_MS;
    if (looked === null || (isOld && (await looked.found) === null))
      looked = { found: findSandbox(ports), at: clock.mono() };
    return await looked.found;
  };
}

/** The sandbox's own lie over these. */
const COVERED = ["/dev", "/proc"];
/** Of a machine whose programs are found by way of a place that is hidden. */
const SYSTEM = "/run/current-system";

function bubblewrap(program: string, argv: readonly string[], confinement: Confinement): readonly string[] {
  const { directory, hidden, network, resolver, terminal } = confinement;
  // What holds the directory is hidden before it is shown again, what lies in it after; it is never hidden itself. What lies in a place
  // that is hidden is hidden with it, unless the directory shows it again.
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
    ...hide((place) => !isShown(place)),
    ...shown.flatMap((path) => ["--ro-bind-try", path, path]),
    // They show what runs elsewhere, so nothing that is written may bring back the machine's own.
    ...(directory === "/" ? ["--bind", "/", "/", ...OWN_DEVICES] : [...OWN_DEVICES, "--bind", directory, directory]),
    ...[...empty, ...files].filter(isShown).flatMap((place) => heldBetween(place, directory)),
    ...hide(isShown),
    // What is written there would be lost without a word.
    ...empty.filter((place) => !hidden.own.includes(place)).flatMap((place) => ["--remount-ro", place]),
    ...["--chdir", directory, "--"],
    ...(terminal ? argv : first(argv)),
  ];
}

/** A directory on the way to what is hidden could be given another name, under which nothing is hidden: what something is mounted on cannot. */
function heldBetween(place: string, directory: string): readonly string[] {
  const names = place.slice(directory.length).split("/").filter(Boolean).slice(0, -1);
  const root = directory === "/" ? "" : directory;
  const ways = names.map((_, index) => `${root}/${names.slice(0, index + 1).join("/")}`);
  return ways.flatMap((way) => ["--bind", way, way]);
}

/** Untried; see above. */
function seatbelt(program: string, argv: readonly string[], confinement: Confinement): readonly string[] {
  const { directory, hidden, network, tmp } = confinement;
  const under = (paths: readonly string[]) => paths.map((path) => `(subpath ${literal(path)})`).join(" ");
  const rules = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${under([directory, tmp])} (literal "/dev/null") (regex #"^/dev/tty"))`,
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    ...(network ? ["(deny network* (remote unix-socket))"] : ["(deny network*)"]),
    // The last rule that fits wins: these stand after what allows the directory around them.
    `(deny file-read* file-write* ${under([...hidden.directories, ...hidden.files])})`,
  ];
  return [program, "-p", rules.join(""), ...argv];
}

function literal(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
