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
/** A directory with more in it is not looked through. */
const ENTRIES_MAX = 64;

export function hiddenOn({ home, env, uid }: Surroundings): Hidden {
  const homes = new Set([env.HOME, homeOf(uid)].flatMap((path) => real(path) ?? []));
  const below = (names: string) => [...homes].flatMap((each) => names.split(" ").map((name) => join(each, name)));
  const places = [home, ...SOCKETS_LIE_IN, env.XDG_RUNTIME_DIR, ...below(KEY_DIRECTORIES)];
  const sockets = listening();
  return {
    own: unique(TMP.flatMap((path) => real(path) ?? [])),
    directories: unique([
      ...places.flatMap((path) => real(path) ?? []),
      ...sockets.map((path) => dirname(path)).filter(holdsSocketsAlone),
    ]),
    files: unique([
      ...[...below(KEY_FILES), ...ROOT_FILES].flatMap((path) => real(path) ?? []).filter(isReadable),
      ...sockets,
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

/** By their real paths. Those of other systems on this machine are listed too, and lie elsewhere or nowhere here. */
function listening(): string[] {
  const bound = textOf("/proc/net/unix")
    .split("\n")
    .flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return unique(bound.filter(isSocket).flatMap((path) => real(path) ?? []));
}

/** So that one that is made there later is hidden as well. */
function holdsSocketsAlone(directory: string): boolean {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const isOne = (entry: (typeof entries)[number]) => entry.isSocket() || /\.(?:lock|pid)$/.test(entry.name);
    return entries.length <= ENTRIES_MAX && entries.every(isOne);
  } catch {
    return false;
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
