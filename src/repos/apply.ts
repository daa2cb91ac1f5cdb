// Atomic changes of a repository: one commit from a list of steps, or none. The commit is made off the branch. Files of a working tree
// are updated before the branch; if that fails, nothing has changed.

import { SysError } from "../abi/errno.ts";
import { EMPTY_TREE } from "./browse.ts";
import type { Repository } from "./repository.ts";

export type Step =
  | { readonly kind: "put"; readonly path: string; readonly content: string }
  /** A version of a file that is already in the repository. */
  | { readonly kind: "take"; readonly path: string; readonly blob: string; readonly mode: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string };

export interface Commitment {
  readonly author: string;
  readonly message: string;
  readonly steps: readonly Step[];
}

const DRAFT = "refs/gsv/draft";

/** Call within a turn. Null if nothing differs. */
export async function commitSteps(
  repository: Repository,
  { author, message, steps }: Commitment,
): Promise<string | null> {
  const head = await repository.head();
  checkPlaces(steps, head === null ? [] : await namesAt(repository, head));
  const now = Math.floor(repository.clock.now() / 1000);
  const lines: (string | Buffer)[] = [];
  const data = (text: string) => {
    const bytes = Buffer.from(text);
    lines.push(`data ${bytes.byteLength}\n`, bytes, "\n");
  };
  lines.push(`commit ${DRAFT}\ncommitter ${author} <${author}@gsv> ${now} +0000\n`);
  data(message);
  if (head !== null) lines.push(`from ${head}\n`);
  for (const step of steps) {
    if (step.kind === "put") {
      lines.push(`M ${await modeOf(repository, head, step.path)} inline ${quoted(step.path)}\n`);
      data(step.content);
    } else if (step.kind === "take") lines.push(`M ${step.mode} ${step.blob} ${quoted(step.path)}\n`);
    else if (step.kind === "delete") lines.push(`D ${quoted(step.path)}\n`);
    else lines.push(`R ${quoted(step.path)} ${quoted(step.to)}\n`);
  }
  const stdin = Buffer.concat(lines.map((line) => Buffer.from(line)));
  await repository.insist(["fast-import", "--quiet", "--force"], { stdin });
  const made = (await repository.run(["rev-parse", DRAFT, `${DRAFT}^{tree}`, `${head ?? EMPTY_TREE}^{tree}`])).text;
  const [commit = "", tree, before] = made.split("\n");
  try {
    if (tree === before) return null;
    await advance(repository, head, commit);
    return commit;
  } finally {
    await repository.insist(["update-ref", "-d", DRAFT]);
  }
}

/** Moves the branch and its files to a later commit. */
export async function advance(repository: Repository, from: string | null, to: string): Promise<void> {
  if (repository.place.hasFiles) {
    try {
      await repository.insist(["read-tree", "-m", "-u", from ?? EMPTY_TREE, to]);
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "EIO") throw error;
      throw new SysError("ECONFLICT", `files in ${repository.place.cwd} block the change; nothing was changed`, [
        "see git status there, then try again",
      ]);
    }
  }
  await repository.insist(["update-ref", "HEAD", to, from ?? "0".repeat(40)]);
}

/** Steps that restore a path to an earlier version, removing files that were not in it. */
export async function stepsBack(repository: Repository, commit: string, path: string): Promise<Step[]> {
  const then = await filesAt(repository, commit, path);
  const head = await repository.head();
  const now = head === null ? new Map<string, never>() : await filesAt(repository, head, path);
  if (then.size === 0 && now.size === 0)
    throw new SysError("ENOENT", `no such file, now or in ${commit.slice(0, 10)}: ${path}`);
  const gone = [...now.keys()].filter((each) => !then.has(each));
  return [
    ...gone.map((each): Step => ({ kind: "delete", path: each })),
    ...[...then].map(([each, { blob, mode }]): Step => ({ kind: "take", path: each, blob, mode })),
  ];
}

/** Git would silently turn a file in the way into a directory, and vice versa. */
function checkPlaces(steps: readonly Step[], before: readonly string[]): void {
  const files = new Set(before);
  const below = (path: string) => [...files].filter((each) => each.startsWith(`${path}/`));
  const take = (path: string) => {
    const file = above(path).find((each) => files.has(each));
    if (file !== undefined) throw new SysError("ENOTDIR", `${path}: ${file} is a file; nothing was changed`);
    files.add(path);
  };
  for (const step of steps) {
    const isGone = step.kind === "delete" || step.kind === "move";
    const gone = isGone ? [step.path, ...below(step.path)].filter((each) => files.delete(each)) : [];
    const place = step.kind === "move" ? step.to : step.path;
    if (below(place).length > 0) throw new SysError("EISDIR", `${place} is a directory; nothing was changed`);
    if (step.kind === "put" || step.kind === "take") take(step.path);
    else if (step.kind === "move") for (const each of gone) take(step.to + each.slice(step.path.length));
  }
}

function above(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_name, at) => names.slice(0, at + 1).join("/"));
}

async function namesAt(repository: Repository, commit: string): Promise<string[]> {
  const { text } = await repository.run(["ls-tree", "-r", "-z", "--name-only", commit]);
  return text.split("\0").filter((name) => name !== "");
}

async function filesAt(repository: Repository, commit: string, path: string) {
  const { text } = await repository.run(["ls-tree", "-r", "-z", commit, "--", path]);
  const files = new Map<string, { readonly blob: string; readonly mode: string }>();
  for (const line of text.split("\0")) {
    const [, mode = "", blob = "", name = ""] = /^(100\d{3}) blob (\w+)\t(.+)$/s.exec(line) ?? [];
    if (name !== "") files.set(name, { blob, mode });
  }
  return files;
}

async function modeOf(repository: Repository, head: string | null, path: string): Promise<string> {
  if (head === null) return "100644";
  return (await filesAt(repository, head, path)).get(path)?.mode ?? "100644";
}

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
