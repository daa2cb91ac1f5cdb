// Reads of a repository's versions: log, files, diff, search. Checks nothing out and runs no filter, driver or external program. Every ref
// is resolved to a commit first, so that no ref can be taken for an option.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { Commit, FileChange, RepoDiff, RepoMatch, RepoRef, RepoView, TreeEntry } from "../abi/repo.ts";
import type { Repository } from "./repository.ts";

/** Size limit of one answer. */
const TEXT_BYTES_MAX = 512 * 1024;
const ENTRIES_MAX = 5000;
const MATCHES_MAX = LIMITS.searchMatchesMax;
export const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export async function commitOf(repository: Repository, ref: string): Promise<string> {
  // Git would read it as an option, an exclusion or a range.
  if (/^[-^]|\.\.|\s/.test(ref))
    throw new SysError("EINVAL", `not a version: ${ref.slice(0, 100)}`, ["use a branch, a tag, a commit id or HEAD~1"]);
  const found = repository.exists ? await commitIfAny(repository, ref) : null;
  if (found !== null) return found;
  const empty = (await repository.head()) === null;
  throw new SysError(
    "ENOENT",
    empty ? "this repository has no commits" : `no such version: ${ref.slice(0, 100)}`,
    empty ? [] : ["list versions: gsv repo log, gsv repo refs"],
  );
}

async function commitIfAny(repository: Repository, ref: string): Promise<string | null> {
  if (!/^[\w./@^~{}+-]{1,200}$/.test(ref) || ref.startsWith("-") || ref.includes("@{-")) return null;
  const asked = ["rev-parse", "-q", "--verify", "--end-of-options", `${ref}^{commit}`];
  const { status, text } = await repository.run(asked, { also: [1, 128] });
  return status === 0 ? text.trim() : null;
}

export async function refsOf(repository: Repository): Promise<RepoRef[]> {
  if (!repository.exists) return [];
  const format = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(*objectname)";
  const { text } = await repository.run([
    "for-each-ref",
    `--format=${format}`,
    "refs/heads",
    "refs/tags",
    "refs/remotes",
  ]);
  return text.split("\n").flatMap((line) => {
    const [full = "", id = "", at = "", peeled = ""] = line.split("\0");
    const [, family = "", name = ""] = /^refs\/(heads|tags|remotes)\/(.+)$/.exec(full) ?? [];
    const kind = ({ heads: "branch", tags: "tag", remotes: "remote" } as const)[family];
    return kind === undefined ? [] : [{ name, kind, commit: peeled || id, at: Number(at) * 1000 }];
  });
}

export interface LogQuery {
  readonly ref: string;
  readonly path?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

const LOG_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%at%x00%s%x00%B%x00";

/** Newest first. */
export async function logOf(repository: Repository, { ref, path, limit, offset }: LogQuery): Promise<Commit[]> {
  if (ref === "HEAD" && (await repository.head()) === null) return [];
  const from = await commitOf(repository, ref);
  const { text } = await repository.run(
    ["log", "-z", `--format=${LOG_FORMAT}`, `--max-count=${limit}`, `--skip=${offset}`, from, "--", ...named(path)],
    { bytesMax: TEXT_BYTES_MAX },
  );
  return commitsIn(text);
}

function commitsIn(text: string): Commit[] {
  const parts = text.split("\0");
  const commits: Commit[] = [];
  // Every record ends with two NULs: its own and that of -z.
  for (let at = 0; at + 7 < parts.length; at += 8) {
    const [id = "", parents = "", author = "", email = "", seconds = "", subject = "", message = ""] = parts.slice(at);
    commits.push({
      id,
      parents: parents.split(" ").filter((each) => each !== ""),
      ...{ author, email, at: Number(seconds) * 1000, subject, message: message.trimEnd() },
    });
  }
  return commits;
}

export async function viewOf(repository: Repository, ref: string, path: string): Promise<RepoView> {
  const commit = await commitOf(repository, ref);
  const spec = `${commit}:${path}`;
  const { status, text } = await repository.run(["cat-file", "-t", spec], { also: [1, 128] });
  const type = status === 0 ? text.trim() : "";
  if (type === "tree") return { kind: "tree", path, ref: commit, entries: await entriesOf(repository, spec, path) };
  if (type !== "blob") throw new SysError("ENOENT", `no such file in ${commit.slice(0, 10)}: ${path}`);
  const size = Number((await repository.run(["cat-file", "-s", spec])).text);
  const { bytes, cut } = await repository.run(["cat-file", "blob", spec], { bytesMax: TEXT_BYTES_MAX });
  const isBinary = bytes.subarray(0, 8000).includes(0);
  const content = isBinary ? null : Buffer.from(bytes).toString("utf8");
  return { kind: "file", path, ref: commit, size, isBinary, content, truncated: cut };
}

const KINDS: { readonly [mode: string]: TreeEntry["kind"] } = {
  "040000": "directory",
  "120000": "symlink",
  "160000": "repository",
};

async function entriesOf(repository: Repository, spec: string, path: string): Promise<TreeEntry[]> {
  const { text } = await repository.run(["ls-tree", "-z", "--long", spec], { bytesMax: TEXT_BYTES_MAX });
  return text
    .split("\0")
    .slice(0, ENTRIES_MAX)
    .flatMap((line) => {
      const [, mode = "", size = "", name = ""] = /^(\d{6}) \w+ \w+ +(\S+)\t(.+)$/s.exec(line) ?? [];
      if (mode === "") return [];
      const kind = KINDS[mode] ?? "file";
      return [{ path: path === "" ? name : `${path}/${name}`, kind, size: size === "-" ? null : Number(size) }];
    });
}

export interface DiffQuery {
  readonly from: string;
  readonly to: string;
  readonly path?: string | undefined;
  readonly context: number;
}

/** Between two versions; without `from`, from the parent. */
export async function diffOf(repository: Repository, { from, to, path, context }: DiffQuery): Promise<RepoDiff> {
  const newer = await commitOf(repository, to);
  const older =
    from === "" ? ((await commitIfAny(repository, `${newer}^`)) ?? EMPTY_TREE) : await commitOf(repository, from);
  const range = [older, newer, "--", ...named(path)];
  const files = filesIn((await repository.run(["diff", "-z", "--numstat", ...PLAIN, ...range])).text);
  const { text, cut } = await repository.run(["diff", `--unified=${context}`, ...PLAIN, ...range], {
    bytesMax: TEXT_BYTES_MAX,
  });
  return { from: older === EMPTY_TREE ? "" : older, to: newer, files, text, truncated: cut };
}

/** From `git diff -z --numstat`. */
export function filesIn(text: string): FileChange[] {
  const count = (digits: string | undefined) => (digits === undefined || digits === "-" ? null : Number(digits));
  return text.split("\0").flatMap((line) => {
    const [, added, removed, path = ""] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
    return path === "" ? [] : [{ path, added: count(added), removed: count(removed) }];
  });
}

/** Number of commits that each version has and the other has not. */
export async function apart(
  repository: Repository,
  left: string,
  right: string,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  const { text } = await repository.run(["rev-list", "--left-right", "--count", `${left}...${right}`, "--"]);
  const [behind = 0, ahead = 0] = text.trim().split("\t").map(Number);
  return { ahead, behind };
}

/** Literal text search in the files of a version. */
export async function matchesIn(
  repository: Repository,
  { ref, query, path, signal }: { ref: string; query: string; path?: string | undefined; signal: AbortSignal },
): Promise<{ readonly matches: RepoMatch[]; readonly truncated: boolean }> {
  if (ref === "HEAD" && (await repository.head()) === null) return { matches: [], truncated: false };
  const commit = await commitOf(repository, ref);
  const flags = ["--no-textconv", "--no-color", "-z", "-n", "-I", "-F", "--full-name"];
  const { text, cut } = await repository.run(["grep", ...flags, "-e", query, commit, "--", ...named(path)], {
    also: [1],
    bytesMax: TEXT_BYTES_MAX,
    signal,
  });
  const lines = text.split("\n").filter((line) => line.includes("\0"));
  const matches = lines.map((line) => {
    const [place = "", number = "", content = ""] = line.split("\0");
    return { path: place.slice(commit.length + 1), line: Number(number), content };
  });
  return { matches: matches.slice(0, MATCHES_MAX), truncated: cut || matches.length > MATCHES_MAX };
}

function named(path: string | undefined): string[] {
  return path === undefined || path === "" ? [] : [path];
}
