// Places with file versions: homes and workspaces, where each write is a commit, and host directories, with versions in a hidden repository. A
// place can commit its current state and restore files.

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Namespace } from "../../../fs/namespace.ts";
import { SysError } from "../../abi/errno.ts";
import { HOME_REPO, VERSIONED } from "../../abi/repo.ts";
import { ownerName } from "../../kernel/workspaces/new-workspace.ts";
import { isInside } from "../../lib/inside.ts";
import { headAt } from "../../repos/health.ts";
import type { Snapshot } from "../../repos/hidden-repository.ts";
import type { Repos } from "../../repos/repos.ts";
import type { Repository } from "../../repos/repository.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";

export interface ChangePlace {
  readonly key: string;
  /** Root directory, as people know it. */
  readonly shown: string;
  readonly repository: Repository;
  /** False if the directory or a commit is gone. */
  holds(commits: readonly (string | null)[]): Promise<boolean>;
  /** Commits the current state, with these processes as authors. */
  mark(paths: readonly string[] | null, by: readonly string[]): Promise<Snapshot>;
  readonly files: { readonly namespace: Namespace; readonly root: string };
  /** Mode of a deleted file; null if unknown. */
  modeOf(path: string): number | null;
}

export interface PlacedPath {
  readonly place: ChangePlace;
  /** Relative to the place; null for all its files. */
  readonly path: string | null;
}

export interface ChangePlacesPorts {
  readonly kernel: Pick<KernelStore, "accounts" | "workspaces" | "attachments">;
  readonly repos: () => Promise<Repos>;
  readonly namespace: Namespace;
  /** Filesystem of a host directory. */
  readonly diskAt: (directory: string) => Namespace;
}

export class ChangePlaces {
  private readonly disks = new Map<string, Namespace>();

  constructor(private readonly ports: ChangePlacesPorts) {}

  async hasGit(): Promise<boolean> {
    return (await this.ports.repos()).findGit() !== null;
  }

  /** The place of a file in gsv, by its real path; null if it has no versions. */
  async ofPath(path: string): Promise<PlacedPath | null> {
    const [, top = "", name = "", ...rest] = path.split("/");
    if (top === "workspaces") {
      const place = await this.ofWorkspace(name);
      return place === null || rest.length === 0 ? null : { place, path: rest.join("/") };
    }
    const isRoot = top === "root";
    const [kind = "", ...inside] = isRoot ? [name, ...rest] : rest;
    const account = await this.ports.kernel.accounts.byName(isRoot ? "root" : name);
    if (account === null || !isInside(path, account.home) || inside.length === 0) return null;
    if (!(VERSIONED as readonly string[]).includes(kind)) return null;
    return { place: await this.tree(account.username, HOME_REPO, account.home), path: [kind, ...inside].join("/") };
  }

  /**
   * A file or directory of the host, in one that the process works in, or that is about to be attached; a relative path starts in the
   * first of them.
   */
  async ofHostPath(row: ProcessRow, named: string, attaches: string | null = null): Promise<PlacedPath | null> {
    const attached = await this.ports.kernel.attachments.of(row.workspaceId ?? row.pid);
    const directories = attaches === null ? attached : [...attached, attaches];
    const path = withoutLinks(resolve(directories[0] ?? "/", named));
    for (const directory of directories) {
      if (!isInside(path, directory)) continue;
      const inside = path.slice(directory.length + 1);
      return { place: await this.directory(row, directory), path: inside === "" ? null : inside };
    }
    return null;
  }

  /** The place of a command's directory: the attached directory that holds it, else itself. */
  async ofGround(row: ProcessRow, directory: string): Promise<PlacedPath> {
    const found = await this.ofHostPath(row, directory);
    return { place: found?.place ?? (await this.directory(row, directory)), path: null };
  }

  /** All places that a script of the process may write to. */
  async all(row: ProcessRow): Promise<PlacedPath[]> {
    const { accounts } = this.ports.kernel;
    const places = await this.outsideHomes(row);
    for (const uid of new Set([row.ownerUid, row.uid])) {
      const account = await accounts.byUid(uid);
      if (account !== null)
        places.push({ place: await this.tree(account.username, HOME_REPO, account.home), path: null });
    }
    return places;
  }

  /** The places of a program that gets no home: its workspace. */
  async outsideHomes({ workspaceId }: ProcessRow): Promise<PlacedPath[]> {
    const place = workspaceId === null ? null : await this.ofWorkspace(workspaceId);
    return place === null ? [] : [{ place, path: null }];
  }

  async named(row: ProcessRow, key: string): Promise<ChangePlace> {
    const [, kind, rest = ""] = /^(tree|dir):(.*)$/s.exec(key) ?? [];
    if (kind === "dir") return this.directory(row, rest);
    const [owner = "", name = ""] = rest.split("/");
    const account = await this.ports.kernel.accounts.byName(owner);
    if (kind !== "tree" || account === null) throw new SysError("ENOENT", `the place of these changes is gone: ${key}`);
    return this.tree(owner, name, name === HOME_REPO ? account.home : `/workspaces/${name}`);
  }

  private async ofWorkspace(id: string): Promise<ChangePlace | null> {
    const row = await this.ports.kernel.workspaces.get(id);
    if (row === null) return null;
    if (row.directory !== null) return this.directory(row, row.directory);
    return this.tree(await ownerName(this.ports, row.ownerUid), id, `/workspaces/${id}`);
  }

  private async tree(owner: string, name: string, root: string): Promise<ChangePlace> {
    const repos = await this.ports.repos();
    const tree = repos.tree({ owner, name });
    return {
      key: `tree:${owner}/${name}`,
      shown: root,
      repository: tree.repository,
      holds: (commits) => holdsAll(tree.directory, tree.repository, commits),
      async mark(paths) {
        // Commit outside edits before overwriting them.
        for (const path of paths ?? []) if (!(await tree.isOwn(path))) await tree.record([path]);
        return { commit: commitAt(join(tree.directory, ".git")), leftOut: [] };
      },
      files: { namespace: this.ports.namespace, root },
      modeOf: () => null,
    };
  }

  private async directory({ ownerUid }: { readonly ownerUid: number }, directory: string): Promise<ChangePlace> {
    const owner = await ownerName(this.ports, ownerUid);
    const versions = (await this.ports.repos()).versionsOf(owner, directory);
    const known = this.disks.get(directory) ?? this.ports.diskAt(directory);
    this.disks.set(directory, known);
    return {
      key: `dir:${directory}`,
      shown: directory,
      repository: versions.repository,
      holds: (commits) => holdsAll(directory, versions.repository, commits),
      mark: (paths, by) => versions.snapshot(paths, by),
      files: { namespace: known, root: "" },
      modeOf: (path) => versions.modeOf(path),
    };
  }
}

function commitAt(gitDir: string): string | null {
  const head = headAt(gitDir);
  return head !== null && "commit" in head ? head.commit : null;
}

async function holdsAll(
  directory: string,
  repository: Repository,
  commits: readonly (string | null)[],
): Promise<boolean> {
  if (!existsSync(directory)) return false;
  for (const commit of new Set(commits)) {
    if (commit === null) continue;
    const { status } = await repository.run(["cat-file", "-e", `${commit}^{commit}`], { also: [1, 128] });
    if (status !== 0) return false;
  }
  return true;
}

/** Real path; the file may be missing. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === "/" ? path : join(withoutLinks(dirname(path)), basename(path));
  }
}
