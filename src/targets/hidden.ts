// What of this machine a sandbox does not show: gsv's homes, the places where sockets lie, every socket that somebody listens at wherever it
// lies (one that can only be read can be connected to all the same), and where a person keeps keys. Looked at anew for each command.

import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Hidden {
  /** As directories of its own, to be written. */
  readonly own: readonly string[];
  /** As empty directories. */
  readonly directories: readonly string[];
  /** As empty files, where they do not lie in one of those. */
  readonly files: readonly string[];
}

export interface Surroundings {
  /** Where gsv keeps its data. */
  readonly home: string;
  /** What the environment says of the person. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly uid: number;
}

/** Below a person's home: what is there for keys and nothing else. */
const KEY_DIRECTORIES =
  ".gsv .ssh .gnupg .docker .aws .azure .kube .password-store .config/gcloud .config/gh .local/share/keyrings .mozilla .config/chromium .config/google-chrome";
const KEY_FILES = ".netrc .git-credentials .config/git/credentials .pypirc .cargo/credentials .cargo/credentials.toml";
/** Of the machine; who may read them is root. */
const ROOT_FILES = ["/etc/shadow", "/etc/gshadow"];
const SOCKETS_LIE_IN = ["/run", "/var/run"];
/** Anybody may write there. */
const TMP = ["/tmp", "/var/tmp"];

export function hiddenOn({ home, env, uid }: Surroundings): Hidden {
  const homes = new Set([env.HOME, homeOf(uid)].flatMap((path) => real(path) ?? []));
  const below = (names: string) => [...homes].flatMap((each) => names.split(" ").map((name) => join(each, name)));
  const places = [home, ...SOCKETS_LIE_IN, env.XDG_RUNTIME_DIR, ...below(KEY_DIRECTORIES)];
  const found = sockets();
  return {
    own: unique(TMP.flatMap((path) => real(path) ?? [])),
    directories: unique([
      ...places.flatMap((path) => real(path) ?? []),
      ...found.flatMap(({ directory, isAlone }) => (isAlone ? [directory] : [])),
    ]),
    files: unique([
      ...[...below(KEY_FILES), ...ROOT_FILES].flatMap((path) => real(path) ?? []).filter(isReadable),
      ...found.flatMap(({ paths }) => paths),
    ]),
  };
}

/** Where names of machines are looked up, which may be a link to a place that is hidden; null where there is no such file. */
export function resolver(): string | null {
  return real("/etc/resolv.conf");
}

/** As the machine has it: whoever started gsv may have said something else. */
function homeOf(uid: number): string | undefined {
  const lines = textOf("/etc/passwd").split("\n");
  return lines.find((line) => line.split(":")[2] === String(uid))?.split(":")[5];
}

interface SocketPlace {
  readonly directory: string;
  readonly paths: readonly string[];
  /** There is nothing else, so that one that is made there later may be hidden as well. */
  readonly isAlone: boolean;
}

/** By real paths: all that lie where somebody bound one, for many are given another name when they are ready. */
function sockets(): readonly SocketPlace[] {
  const bound = textOf("/proc/net/unix")
    .split("\n")
    .flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  // Those of other systems on this machine are listed too, and lie elsewhere or nowhere here.
  const named = unique(bound.flatMap((path) => real(path) ?? [])).filter(isSocket);
  return unique(bound.flatMap((path) => real(dirname(path)) ?? [])).map((directory) => {
    const known = named.filter((path) => dirname(path) === directory);
    return placeAt(directory) ?? { directory, paths: known, isAlone: false };
  });
}

/** Null where it cannot be listed. */
function placeAt(directory: string): SocketPlace | null {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const paths = entries.filter((entry) => entry.isSocket()).map(({ name }) => join(directory, name));
    const isAlone = entries.every((entry) => entry.isSocket() || /\.(?:lock|pid)$/.test(entry.name));
    return { directory, paths, isAlone: isAlone && paths.length > 0 };
  } catch {
    return null;
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function real(path: string | undefined): string | null {
  return path?.startsWith("/") && existsSync(path) ? realpathSync(path) : null;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
