// Remote repositories, through simple-git, which aborts stalled transfers. A remote is a host path or an https, ssh or file address,
// passed with every call and never stored; an address with a password is refused. Hooks, filters and helpers of a remote on the host
// do not run.

import { isAbsolute } from "node:path";
import { messageOf, SysError } from "../abi/errno.ts";
import { clip } from "../lib/text/truncate.ts";
import { advance } from "./apply.ts";
import { apart } from "./browse.ts";
import { gitEnv, SAFE_CONFIG } from "./git.ts";
import type { Repository } from "./repository.ts";

export interface Remote {
  readonly address: string;
  /** On the host. */
  readonly local: boolean;
}

export interface Synced {
  readonly head: string | null;
  readonly pulled: number;
  readonly pushed: number;
  readonly merged: boolean;
}

const STALLED_MS = 30_000;
const BRANCH = /^(?!-)(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[\w][\w./-]{0,100}(?<![./])$/;
/** The other end of a host remote is git as well, started with the same care. */
const OTHER_END = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=true",
  "receive.denyCurrentBranch=refuse",
  "receive.autogc=false",
  "gc.auto=0",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

export function remoteAt(text: string, cwd: string): Remote {
  if (/[\u0000-\u0020\u007f]/.test(text) || text === "" || text.startsWith("-")) throw invalidRemote(text);
  if (/^[a-z][a-z0-9+.-]*::/i.test(text)) throw invalidRemote(text);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === "file") return { address: text, local: true };
  if (scheme === "https" || scheme === "ssh") {
    if (/^[^/]*:\/\/[^/@]*:[^/@]*@/.test(text))
      throw new SysError("EINVAL", "the address contains a password, which others could see", [
        "use ssh with a key: git@host:path",
      ]);
    return { address: text, local: false };
  }
  if (scheme !== undefined) throw invalidRemote(text);
  if (/^[\w.-]+@[\w.-]+:[^:]+$/.test(text)) return { address: text, local: false };
  return { address: `file://${isAbsolute(text) ? text : `${cwd}/${text}`}`, local: true };
}

export function branchNamed(text: string): string {
  if (BRANCH.test(text)) return text;
  throw new SysError("EINVAL", `invalid branch name: ${text.slice(0, 80)}`);
}

/** Fetches all branches as `family/*`. Local branches do not change. */
export async function fetchFrom(repository: Repository, remote: Remote, family: string, path: string): Promise<void> {
  const otherEnd = remote.local ? [`--upload-pack=git ${OTHER_END} upload-pack`] : [];
  const flags = ["--quiet", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules", ...otherEnd];
  await transfer(repository, path, ["fetch", ...flags, "--", remote.address, `+refs/heads/*:refs/remotes/${family}/*`]);
}

async function pushTo(repository: Repository, remote: Remote, branch: string, path: string): Promise<void> {
  const otherEnd = remote.local ? [`--receive-pack=git ${OTHER_END} receive-pack`] : [];
  const flags = ["--quiet", "--no-verify", ...otherEnd];
  await transfer(repository, path, ["push", ...flags, "--", remote.address, `HEAD:refs/heads/${branch}`]);
}

/** Call within a turn. Pulls new commits, pushes own ones, merges if both sides have some. On a conflict nothing changes. */
export async function syncWith(
  repository: Repository,
  { remote, branch, author, path }: { remote: Remote; branch: string; author: string; path: string },
): Promise<Synced> {
  await fetchFrom(repository, remote, "sync", path);
  const theirs = await tipOf(repository, `refs/remotes/sync/${branch}`);
  const ours = await repository.head();
  const { ahead, behind } =
    theirs === null || ours === null
      ? { ahead: ours === null ? 0 : 1, behind: 0 }
      : await apart(repository, theirs, ours);
  if (theirs !== null && ours === null) await advance(repository, null, theirs);
  else if (theirs !== null && behind > 0 && ahead === 0) await advance(repository, ours, theirs);
  const merged = theirs !== null && ours !== null && behind > 0 && ahead > 0;
  if (merged) await merge(repository, { ours, theirs, author, from: remote.address });
  if (ours !== null && (theirs === null || ahead > 0)) await pushTo(repository, remote, branch, path);
  const head = await repository.head();
  const count = async (range: string) => Number((await repository.run(["rev-list", "--count", range])).text);
  return {
    head,
    pulled: theirs !== null && ours === null ? await count(theirs) : behind,
    pushed: theirs === null && ours !== null ? await count(ours) : ahead,
    merged,
  };
}

interface Merging {
  readonly ours: string;
  readonly theirs: string;
  readonly author: string;
  readonly from: string;
}

async function merge(repository: Repository, { ours, theirs, author, from }: Merging): Promise<void> {
  const made = await repository.run(["merge-tree", "--write-tree", "-z", "--name-only", ours, theirs], {
    also: [1, 128, 129],
  });
  const [tree = "", ...rest] = made.text.split("\0");
  if (made.status !== 0) {
    const files = made.status === 1 ? rest.slice(0, rest.indexOf("")) : [];
    const where = files.length === 0 ? "" : `: ${files.slice(0, 5).join(", ")}`;
    throw new SysError("ECONFLICT", `both sides changed the same lines${where}; nothing was changed`, [
      `merge them in ${repository.place.cwd} with git, then sync again`,
    ]);
  }
  const args = ["commit-tree", tree.trim(), "-p", ours, "-p", theirs, "-m", `merge ${from}`];
  const { text } = await repository.run(args, { author: { name: author, at: repository.clock.now() } });
  await advance(repository, ours, text.trim());
}

async function tipOf(repository: Repository, ref: string): Promise<string | null> {
  const { status, text } = await repository.run(["rev-parse", "-q", "--verify", `${ref}^{commit}`], { also: [1, 128] });
  return status === 0 ? text.trim() : null;
}

async function transfer(repository: Repository, path: string, args: readonly string[]): Promise<void> {
  repository.git();
  const { simpleGit } = await import("simple-git");
  const { cwd, gitDir } = repository.place;
  const env = { ...gitEnv(path), ...(gitDir !== null && { GIT_DIR: gitDir }) };
  try {
    // simple-git guards these because they can make git run programs; with our values they run none.
    await simpleGit({ baseDir: cwd, config: [...SAFE_CONFIG], timeout: { block: STALLED_MS }, ...PERMITTED })
      .env(env)
      .raw([...args]);
  } catch (error) {
    throw transferFault(error, args[0] ?? "");
  }
}

const PERMITTED = {
  allowEnvironment: Object.keys({ ...gitEnv(""), GIT_DIR: "" }).filter((name) => name.startsWith("GIT_")),
  unsafe: {
    allowUnsafeAlias: true,
    allowUnsafeAskPass: true,
    allowUnsafeConfigPaths: true,
    allowUnsafeCredentialHelper: true,
    allowUnsafeDiffExternal: true,
    allowUnsafeFsMonitor: true,
    allowUnsafeGpgProgram: true,
    allowUnsafeHooksPath: true,
    allowUnsafePack: true,
    allowUnsafePager: true,
    allowUnsafeProtocolOverride: true,
    allowUnsafeSshCommand: true,
  },
};

function transferFault(error: unknown, verb: string): SysError {
  const says = messageOf(error);
  const line = says.split("\n").find((each) => /^(?:fatal|error|remote):/.test(each)) ?? says.split("\n")[0] ?? "";
  const message = `cannot ${verb === "push" ? "push to" : "fetch from"} the remote: ${line.replace(/^(?:fatal|error|remote): */, "").slice(0, 300)}`;
  if (/timeout reached/.test(says)) return new SysError("EAGAIN", "the remote does not answer", ["try again later"]);
  if (/Authentication|Permission denied|could not read Username/i.test(says)) return new SysError("EAUTH", message);
  if (/not appear to be a git repository|does not exist|not found/i.test(says)) return new SysError("ENOENT", message);
  return new SysError("EIO", message);
}

function invalidRemote(text: string): SysError {
  return new SysError("EINVAL", `not a remote: ${clip(text)}`, [
    "use a path on this computer, or an https:, ssh: or file: address",
  ]);
}
