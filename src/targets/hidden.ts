// Host paths that a sandbox hides: gsv's homes, socket directories, every listening socket (read access is enough to connect), and key files.
// Determined again for each command.

import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Hidden {
  /** Private writable directories in the sandbox. */
  readonly own: readonly string[];
  /** Shown as empty directories. */
  readonly directories: readonly string[];
  /** Shown as empty files. */
  readonly files: readonly string[];
}

export interface Surroundings {
  /** gsv's data. */
  readonly home: string;
  /** The person's environment. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly uid: number;
}

/** In the person's home: directories that only contain keys. */
const KEY_DIRECTORIES =
  ".gsv .ssh .gnupg .docker .aws .azure .kube .password-store .config/gcloud .config/gh .config/glab-cli .config/hub .config/op .config/rclone .config/sops .local/share/keyrings .local/share/kwalletd .mozilla .thunderbird .config/chromium .config/google-chrome .config/BraveSoftware .config/microsoft-edge .config/Signal";
/** Also the keys of a desktop, whose abstract socket is reachable with network, and other agents' keys. */
const KEY_FILES =
  ".netrc .git-credentials .config/git/credentials .pypirc .cargo/credentials .cargo/credentials.toml .Xauthority .ICEauthority .pgpass .my.cnf .vault-token .terraform.d/credentials.tfrc.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .bash_history .zsh_history .local/share/fish/fish_history";
/** System files readable by root. */
const ROOT_FILES = ["/etc/shadow", "/etc/gshadow"];
const SOCKETS_LIE_IN = ["/run", "/var/run"];
/** World-writable. */
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

/** Target of /etc/resolv.conf, which may be in a hidden directory; null if there is none. */
export function resolver(): string | null {
  return real("/etc/resolv.conf");
}

/** From /etc/passwd: HOME may be wrong. */
function homeOf(uid: number): string | undefined {
  const lines = textOf("/etc/passwd").split("\n");
  return lines.find((line) => line.split(":")[2] === String(uid))?.split(":")[5];
}

interface SocketPlace {
  readonly directory: string;
  readonly paths: readonly string[];
  /** The directory contains sockets only, so it is hidden as a whole, with later sockets. */
  readonly isAlone: boolean;
}

/** All sockets in directories where one is bound: many are renamed after binding. */
function sockets(): readonly SocketPlace[] {
  const bound = textOf("/proc/net/unix")
    .split("\n")
    .flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  // The list includes sockets of other mount namespaces.
  const named = unique(bound.flatMap((path) => real(path) ?? [])).filter(isSocket);
  return unique(bound.flatMap((path) => real(dirname(path)) ?? [])).map((directory) => {
    const known = named.filter((path) => dirname(path) === directory);
    return placeAt(directory) ?? { directory, paths: known, isAlone: false };
  });
}

/** Null if it cannot be listed. */
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
