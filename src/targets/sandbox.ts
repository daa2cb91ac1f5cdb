// The sandbox a command of the host runs in, as the words that go before it: its directory may be written, the rest only be read, /tmp is
// its own, there is no network unless that was allowed, and gsv's home and every place where sockets lie are hidden: without that a
// command would reach the kernel as the person. Pure but for asking once whether the machine has one.

export interface Confinement {
  /** Where it works and may write. */
  readonly directory: string;
  /** Where gsv keeps its data. */
  readonly home: string;
  /** Directories that hold sockets or secrets of others; those that exist. */
  readonly hidden: readonly string[];
  readonly network: boolean;
  readonly tmp: string;
}

export interface Sandbox {
  readonly name: "bwrap" | "sandbox-exec";
  /** The same program, inside. */
  wrap(argv: readonly string[], confinement: Confinement): readonly string[];
}

/** Where sockets and keys of a person lie, by the person's own home. */
export function socketPlaces(personsHome: string, runtimeDirectory: string | undefined): readonly string[] {
  const own = [".ssh", ".gnupg", ".docker"].map((name) => `${personsHome}/${name}`);
  return ["/run", ...(runtimeDirectory === undefined ? [] : [runtimeDirectory]), ...own];
}

export interface SandboxPorts {
  readonly platform: string;
  readonly find: (program: string) => string | null;
  /** Whether a program comes to a good end. */
  readonly works: (argv: readonly string[]) => Promise<boolean>;
}

/** Null where the machine has none, or has one that may not do its work. */
export async function findSandbox({ platform, find, works }: SandboxPorts): Promise<Sandbox | null> {
  const name = platform === "darwin" ? "sandbox-exec" : "bwrap";
  const program = find(name);
  if (program === null) return null;
  const words = platform === "darwin" ? seatbelt : bubblewrap;
  const sandbox: Sandbox = { name, wrap: (argv, confinement) => [...words(program, confinement), ...argv] };
  const nowhere = { directory: "/", home: "/nonexistent", hidden: [], network: false, tmp: "/tmp" };
  const probe = platform === "darwin" ? sandbox.wrap(["/usr/bin/true"], nowhere) : [program, ...PROBE];
  return (await works(probe)) ? sandbox : null;
}

const PROBE = ["--ro-bind", "/", "/", "--dev", "/dev", "--unshare-all", "--die-with-parent", "/bin/sh", "-c", "exit 0"];
/** Names of machines are found with it, and a link in /etc may lead there. */
const RESOLVER = "/run/systemd/resolve/stub-resolv.conf";

function bubblewrap(program: string, { directory, home, hidden, network }: Confinement): string[] {
  // What holds the directory is hidden before it is shown again, what lies in it after; it is never hidden itself.
  const places = [...new Set(["/tmp", ...hidden, home])].filter((place) => place !== directory);
  const outside = places.filter((place) => !isWithin(place, directory));
  const inside = places.filter((place) => isWithin(place, directory));
  return [
    program,
    ...["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...outside.flatMap((place) => ["--tmpfs", place]),
    ...(network ? ["--ro-bind-try", RESOLVER, RESOLVER] : []),
    ...["--bind", directory, directory],
    ...inside.flatMap((place) => ["--tmpfs", place]),
    ...["--chdir", directory, "--"],
  ];
}

function seatbelt(program: string, { directory, home, hidden, network, tmp }: Confinement): string[] {
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
    `(deny file-read* file-write* ${under([home, ...hidden])})`,
  ];
  return [program, "-p", rules.join("")];
}

function literal(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
