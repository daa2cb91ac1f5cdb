// What a failed command seems to have missed in the sandbox, by its output: the network, files it may not write, keys and agents. Only a guess:
// programs word their errors freely, so the caller checks the paths. Pure.

export interface Missed {
  readonly network: boolean;
  readonly ssh: boolean;
  readonly gpg: boolean;
  /** What it could not write of a git repository; null if it was not that. */
  readonly git: "git" | "git-settings" | null;
  /** Absolute paths that could not be written, in order. */
  readonly paths: readonly string[];
}

const NETWORK =
  /could(?: no|n')t resolve (?:host|proxy)|temporary failure (?:in name resolution|resolving)|name or service not known|nodename nor servname|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|\b(?:ENETUNREACH|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ERR_INTERNET_DISCONNECTED)\b|network is (?:unreachable|down)|unable to resolve host address|failed to lookup address information|UnknownHostException|no such host|could not resolve (?:hostname|address)|dns (?:lookup failed|error)|NameResolutionError|(?:failed|unable) to resolve (?:host|address|name)/i;
/** sudo warns so about this computer's own name. */
const NOT_NETWORK = /^sudo: unable to resolve host.*$/gim;
const SSH =
  /permission denied \([^)]*publickey|host key verification failed|could not open a connection to your authentication agent|error connecting to (?:authentication )?agent|sign_and_send_pubkey|no such identity: \S*\.ssh\//i;
const GPG =
  /gpg failed to sign the data|gpg: (?:can't connect to the (?:gpg-)?agent|no (?:gpg-)?agent running|signing failed|skipped ".*": no secret key)/i;
const GIT_SETTINGS =
  /could not (?:lock|write) config file|unable to write upstream branch configuration|(?:\.git\/(?:hooks|config)|\.husky)\b[^\n]*(?:read-only file ?system|EROFS|resource busy|EBUSY)|(?:EROFS|EBUSY)[^\n]*(?:\.git\/(?:hooks|config)|\.husky)\b/i;
const GIT =
  /\.git\b[^\n]*(?:read-only file ?system|EROFS)|EROFS[^\n]*\.git\b|unable to create temporary file: read-only/i;
const UNWRITABLE =
  /read-only file ?system|\bEROFS\b|\b(?:EACCES|EPERM)\b|permission denied(?! \()|operation not permitted|os error (?:1|13|30)\b/i;
/** The path of some errors is on a line before or after. */
const NEAR_LINES = 3;
const PATH = /(?:^|[\s'"`‘“(=:[])(\/[^\s'"`‘’“”():,;\]]+)/g;
const QUOTED_PATH = /['"`‘“](\/[^'"`’”\n]+)['"`’”]/g;
const LINES_MAX = 400;
const PATHS_MAX = 20;

export function missedBy(output: string): Missed {
  const text = output.replace(NOT_NETWORK, "");
  return {
    network: NETWORK.test(text),
    ssh: SSH.test(text),
    gpg: GPG.test(text),
    git: gitMissed(text),
    paths: unwritable(text),
  };
}

function gitMissed(text: string): Missed["git"] {
  return GIT_SETTINGS.test(text) ? "git-settings" : GIT.test(text) ? "git" : null;
}

function unwritable(text: string): readonly string[] {
  if (!UNWRITABLE.test(text)) return [];
  const lines = text.split("\n").slice(-LINES_MAX);
  const found = lines.flatMap((line, at) => {
    if (!UNWRITABLE.test(line)) return [];
    const here = pathsIn(line);
    return here.length > 0 ? here : lines.slice(Math.max(0, at - NEAR_LINES), at + NEAR_LINES + 1).flatMap(pathsIn);
  });
  return [...new Set(found)].slice(0, PATHS_MAX);
}

function pathsIn(line: string): readonly string[] {
  const quoted = [...line.matchAll(QUOTED_PATH)].map((match) => match[1] ?? "");
  const bare = [...line.matchAll(PATH)].map((match) => match[1] ?? "");
  return quoted.length > 0 ? quoted : bare;
}
