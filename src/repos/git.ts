// Runs git such that only git itself runs: a fixed environment, no user configuration, no hooks, monitors, prompts, pager or signing.
// Programs configured in a repository (filters, drivers, external diffs) never start: gsv creates its repositories itself and takes
// only objects from foreign ones. Calls have a timeout and a size limit.

import { SysError } from "../abi/errno.ts";

export interface Author {
  /** Account name. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface GitCall {
  readonly stdin?: string | Uint8Array;
  readonly author?: Author;
  /** Exit statuses besides 0 that are no error. */
  readonly also?: readonly number[];
  /** Longer output is cut. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
}

export interface GitAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly cut: boolean;
}

/** Where git works. `gitDir` is null while the repository is being created. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir: string | null;
  /** True for a working tree in `cwd`. */
  readonly hasFiles: boolean;
}

export type Git = (place: GitPlace, args: readonly string[], call?: GitCall) => Promise<GitAnswer>;

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const DEADLINE_MS = 60_000;

/** Set in every call, over the repository's own configuration. */
export const SAFE_CONFIG: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.askPass=",
  "core.sshCommand=ssh -oBatchMode=yes",
  "core.alternateRefsCommand=true",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.symlinks=false",
  "core.autocrlf=false",
  "core.quotePath=false",
  "core.fsync=committed,loose-object",
  "credential.helper=",
  "diff.external=",
  "diff.ignoreSubmodules=all",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "commit.gpgSign=false",
  "gpg.program=false",
  "protocol.allow=never",
  "protocol.file.allow=always",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.ext.allow=never",
  "safe.bareRepository=explicit",
  "transfer.fsckObjects=true",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
];

/** The complete environment. */
export function gitEnv(path: string): { readonly [name: string]: string } {
  return {
    PATH: path,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    // Paths are literal, never patterns.
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** Absolute directories only: a git in the current directory must not run. */
export function programPath(path: string | undefined): string {
  const named = (path ?? "").split(":").filter((directory) => directory.startsWith("/"));
  return named.length > 0 ? named.join(":") : "/usr/local/bin:/usr/bin:/bin";
}

export function findGit(path: string): string | null {
  return Bun.which("git", { PATH: path });
}

export function gitAt(program: string, path: string): Git {
  const base = [program, ...SAFE_CONFIG.flatMap((setting) => ["-c", setting])];
  return async (place, args, call = {}) => {
    const { also = [], bytesMax = ANSWER_BYTES_MAX, signal, stdin } = call;
    const where = place.gitDir === null ? [] : [`--git-dir=${place.gitDir}`];
    const tree = place.hasFiles ? [`--work-tree=${place.cwd}`] : [];
    const child = Bun.spawn([...base, ...where, ...tree, ...args], {
      cwd: place.cwd,
      env: { ...gitEnv(path), ...authorEnv(call.author) },
      stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
      stdout: "pipe",
      stderr: "pipe",
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
      ...(signal && { signal }),
    });
    const answer = taken(child.stdout, bytesMax, () => child.kill());
    const [{ bytes, cut }, says, status] = await Promise.all([answer, child.stderr.text(), child.exited]);
    if (signal?.aborted) throw new SysError("ECANCELED", "cancelled");
    if (!cut && status !== 0 && !also.includes(status)) throw failed(args[0] ?? "", status, says);
    return { status, bytes, cut, text: bytes.toString("utf8") };
  };
}

/** Account names contain no character that git would cut a name at. */
function authorEnv(author: Author | undefined): { readonly [name: string]: string } {
  if (author === undefined) return {};
  const { name, at } = author;
  const date = `@${Math.floor(at / 1000)} +0000`;
  const mail = `${name}@gsv`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: mail,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: mail,
    GIT_COMMITTER_DATE: date,
  };
}

async function taken(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  enough: () => void,
): Promise<{ bytes: Buffer; cut: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    if (size < bytesMax) pieces.push(piece.subarray(0, bytesMax - size));
    size += piece.byteLength;
    if (size > bytesMax) enough();
  }
  return { bytes: Buffer.concat(pieces), cut: size > bytesMax };
}

/** Git's first error line; a remaining lock means that another git is running. */
function failed(verb: string, status: number, says: string): SysError {
  const lines = says.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  const line = (lines.find((each) => /^(?:fatal|error):/.test(each)) ?? lines.at(-1) ?? `status ${status}`).replace(
    /^(?:fatal|error): /,
    "",
  );
  if (/\.lock'?: File exists/.test(says))
    return new SysError("EAGAIN", "another git is running in this repository", ["try again when it is done"]);
  if (/No space left|Disk quota exceeded/.test(says))
    return new SysError("ENOSPC", "the disk is full; nothing was saved", ["free some disk space and try again"]);
  return new SysError("EIO", `git ${verb}: ${line.slice(0, 300)}`);
}
