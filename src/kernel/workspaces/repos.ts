// The service behind repo.*, and its access rules. Repositories of an account are for its private group: the human and their agents. Processes
// must change homes and workspaces through file calls, which ask for approval.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot, mayUse } from "../../abi/identity.ts";
import { isWorkspaceId } from "../../abi/ids.ts";
import { HOME_REPO, hasTree, type RepoInfo, type RepoName, VERSIONED } from "../../abi/repo.ts";
import { advance, commitSteps, type Step, stepsBack } from "../../repos/apply.ts";
import { apart, commitOf, diffOf, logOf, matchesIn, refsOf, viewOf } from "../../repos/browse.ts";
import { pathInside, pathToKeep, repoName } from "../../repos/names.ts";
import { branchNamed, fetchFrom, type Remote, remoteAt, syncWith } from "../../repos/remote.ts";
import type { Repos } from "../../repos/repos.ts";
import type { Repository } from "../../repos/repository.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Repositories } from "../../syscalls/repo/repo-service.ts";

type Reading = "list" | "refs" | "read" | "search" | "log" | "show" | "diff" | "compare";

/** Capability that a process needs for remotes. */
const NETWORK = "net.git";
const DIFF_CONTEXT = 3;

interface RepoAt {
  readonly name: RepoName;
  readonly text: string;
  readonly repository: Repository;
}

export interface RepoPorts {
  readonly accounts: KernelStore["accounts"];
  readonly workspaces: Pick<KernelStore["workspaces"], "get">;
  readonly repos: Repos;
}

/** Read-only calls. */
function repositoriesToRead(ports: RepoPorts): Pick<Repositories, Reading> {
  const { repos } = ports;
  const open = async (caller: Caller, text: string) => (await repoAt(ports, caller, text)).repository;
  return {
    async list(caller) {
      const infos: RepoInfo[] = [];
      for (const owner of repos.owners().sort()) {
        if (!(await mayReach(ports, caller, owner))) continue;
        for (const name of repos.list(owner)) {
          const repository = repos.open({ owner, name });
          if (repository !== null) infos.push(await repoInfo(ports, { owner, name }, repository));
        }
      }
      return { repos: infos };
    },
    async refs(caller, { repo }) {
      const repository = await open(caller, repo);
      return { head: await repository.head(), refs: await refsOf(repository) };
    },
    read: async (caller, { repo, ref, path }) =>
      viewOf(await open(caller, repo), ref, path === "" ? "" : pathInside(path)),
    search: async (caller, { repo, ref, query, path }, signal) =>
      matchesIn(await open(caller, repo), { ref, query, path: inside(path), signal }),
    log: async (caller, { repo, path, ...query }) => ({
      commits: await logOf(await open(caller, repo), { ...query, path: inside(path) }),
    }),
    async show(caller, { repo, commit: ref }) {
      const repository = await open(caller, repo);
      const id = await commitOf(repository, ref);
      const [commit] = await logOf(repository, { ref: id, limit: 1, offset: 0 });
      if (commit === undefined) throw new SysError("ENOENT", `no such version: ${ref}`);
      return { commit, diff: await diffOf(repository, { from: "", to: id, context: DIFF_CONTEXT }) };
    },
    diff: async (caller, { repo, path, ...query }) =>
      diffOf(await open(caller, repo), { ...query, path: inside(path) }),
    async compare(caller, { repo, base, head }) {
      const repository = await open(caller, repo);
      const [left, right] = [await commitOf(repository, base), await commitOf(repository, head)];
      const diff = await diffOf(repository, { from: left, to: right, context: DIFF_CONTEXT });
      return { ...(await apart(repository, left, right)), diff };
    },
  };
}

export function repositoriesService(ports: RepoPorts): Repositories {
  const { repos } = ports;

  /** Runs work alone on a repository, after all edits are committed. */
  async function changing<T>({ name, repository }: RepoAt, work: () => Promise<T>): Promise<T> {
    await needActive(ports, name);
    const tree = hasTree(name.name) ? repos.tree(name) : null;
    await tree?.record();
    return repository.turn(async () => {
      await tree?.ready();
      return await work();
    });
  }

  async function applied(target: RepoAt, caller: Caller, message: string, steps: () => Promise<readonly Step[]>) {
    const { repository, text } = target;
    return changing(target, async () => {
      const made = await commitSteps(repository, { author: caller.username, message, steps: await steps() });
      return { repo: text, head: made ?? (await repository.head()), changed: made !== null };
    });
  }

  return {
    ...repositoriesToRead(ports),

    async create({ caller }, text) {
      const name = repoName(text, await ownName(ports, caller));
      if (!(await mayReach(ports, caller, name.owner)))
        throw new SysError("EPERM", `${caller.username} cannot create repositories for ${name.owner}`);
      needOrdinary(name);
      return repoInfo(ports, name, await repos.create(name));
    },

    async apply({ caller }, { repo, message, ops, expectedHead }) {
      const target = await repoAt(ports, caller, repo);
      needFileCalls(caller, target.name);
      if (ops.length === 0) throw new SysError("EINVAL", "no changes to apply: ops is empty");
      return applied(target, caller, message, async () => {
        const head = await target.repository.head();
        if (expectedHead !== undefined && expectedHead !== head)
          throw new SysError("ECONFLICT", `not applied: the newest commit is ${head?.slice(0, 10) ?? "none"}`, [
            "read it, then apply your changes to it",
          ]);
        return ops.map((op) => stepOf(op as Partial<Record<string, unknown>> | null, target.name));
      });
    },

    async restore({ caller }, { repo, path, ref }) {
      const target = await repoAt(ports, caller, repo);
      needFileCalls(caller, target.name);
      const { repository, name } = target;
      const wanted = changeable(path, name);
      const commit = await commitOf(repository, ref);
      const message = `restore ${wanted} as of ${commit.slice(0, 10)}`;
      return applied(target, caller, message, () => stepsBack(repository, commit, wanted));
    },

    async import(context, { repo, remote: address, branch }) {
      const { caller } = context;
      const remote = await remoteFor(ports, context, address);
      const wanted = branchNamed(branch);
      const name = repoName(repo, await ownName(ports, caller));
      needOrdinary(name);
      const known = await mayReach(ports, caller, name.owner);
      if (!known) throw new SysError("EPERM", `${caller.username} cannot create repositories for ${name.owner}`);
      const fresh = repos.open(name) === null;
      const repository = repos.open(name) ?? (await repos.create(name));
      try {
        return await repository.turn(() =>
          importFrom(repository, remote, { text: repoText(name), branch: wanted, path: repos.searchPath }),
        );
      } catch (error) {
        if (fresh) await repos.remove(name);
        throw error;
      }
    },

    async sync(context, { repo, remote: address, branch }) {
      const { caller } = context;
      const target = await repoAt(ports, caller, repo);
      needFileCalls(caller, target.name);
      const remote = await remoteFor(ports, context, address);
      const wanted = { remote, branch: branchNamed(branch), author: caller.username, path: repos.searchPath };
      return changing(target, async () => {
        const synced = await syncWith(target.repository, wanted);
        return { repo: target.text, changed: synced.pulled > 0, ...synced };
      });
    },

    async remove({ caller }, text, force) {
      const target = await repoAt(ports, caller, text);
      if (hasTree(target.name.name))
        throw new SysError("EPERM", `cannot delete ${target.text}: it belongs to a home or workspace`);
      if (!force && (await target.repository.head()) !== null)
        throw new SysError("EBUSY", `${target.text} is not empty`, [
          `to delete it with all its commits: gsv repo delete --force ${target.text}`,
        ]);
      await repos.remove(target.name);
      return { repo: target.text };
    },
  };
}

async function importFrom(
  repository: Repository,
  remote: Remote,
  { text, branch, path }: { readonly text: string; readonly branch: string; readonly path: string },
) {
  await fetchFrom(repository, remote, "upstream", path);
  const upstream = await commitOf(repository, `refs/remotes/upstream/${branch}`);
  const head = await repository.head();
  const { ahead, behind } = head === null ? { ahead: 0, behind: 1 } : await apart(repository, upstream, head);
  const diverged = ahead > 0 && behind > 0;
  const moves = ahead === 0 && behind > 0;
  if (moves) await advance(repository, head, upstream);
  return { repo: text, head: moves ? upstream : head, changed: moves, upstream, diverged };
}

async function repoAt(ports: RepoPorts, caller: Caller, text: string): Promise<RepoAt> {
  const name = repoName(text, await ownName(ports, caller));
  const repository = (await mayReach(ports, caller, name.owner)) ? ports.repos.open(name) : null;
  if (repository === null)
    throw new SysError("ENOENT", `no such repository: ${repoText(name)}`, ["to list repositories: gsv repo list"]);
  return { name, text: repoText(name), repository };
}

/** Owner for names without one: the caller's owner, as `~`. */
async function ownName({ accounts }: RepoPorts, caller: Caller): Promise<string> {
  return (await accounts.byUid(caller.ownerUid))?.username ?? caller.username;
}

async function mayReach({ accounts }: RepoPorts, caller: Caller, owner: string): Promise<boolean> {
  const account = await accounts.byName(owner);
  return account !== null && (isRoot(caller) || caller.gids.includes(account.gid));
}

async function repoInfo({ repos }: RepoPorts, name: RepoName, repository: Repository): Promise<RepoInfo> {
  const kind = name.name === HOME_REPO ? "home" : hasTree(name.name) ? "workspace" : "user";
  // List damaged repositories too; other calls report the damage.
  const head = repos.findGit() === null ? null : await repository.head().catch(() => null);
  return { repo: repoText(name), kind, writable: true, head, path: repos.pathOf(name) };
}

/** Instruction files must be changed by file calls, which ask for approval. */
function needFileCalls(caller: Caller, { name }: RepoName): void {
  if (caller.kind === "person" || !hasTree(name)) return;
  throw new SysError("EPERM", `${caller.pid ?? caller.username} may not change a home or workspace as a repository`, [
    "write the files instead; gsv asks for approval there",
  ]);
}

/** Throws for names of homes and workspaces. */
function needOrdinary({ name }: RepoName): void {
  if (!hasTree(name)) return;
  throw new SysError("EINVAL", `${name} is reserved for homes and workspaces`, [
    "to sync one with another repository: gsv repo sync",
  ]);
}

async function needActive({ workspaces }: RepoPorts, { name }: RepoName): Promise<void> {
  if (isWorkspaceId(name) && (await workspaces.get(name))?.state === "archived")
    throw new SysError("EROFS", `${name} is archived and read-only`, [
      `to restore it: gsv workspace archive --undo ${name}`,
    ]);
}

/** A remote on the network or on the host. Throws if the caller may not use it. */
async function remoteFor({ accounts }: RepoPorts, { caller, client }: CallContext, address: string): Promise<Remote> {
  if (caller.kind !== "person" && !mayUse(caller, NETWORK))
    throw new SysError("EPERM", `${caller.pid ?? caller.username} may not reach other repositories (needs ${NETWORK})`);
  const remote = remoteAt(address, client?.cwd || "/");
  const human = await accounts.firstHuman();
  if (remote.local && (caller.kind !== "person" || (caller.uid !== human?.uid && !isRoot(caller))))
    throw new SysError("EPERM", "only the owner of this home and root can use directories of this computer");
  return remote;
}

function stepOf(op: Partial<Record<string, unknown>> | null, name: RepoName): Step {
  const { put, content, delete: gone, move, to } = op ?? {};
  if (typeof put === "string" && typeof content === "string")
    return { kind: "put", path: changeable(pathToKeep(put), name), content };
  if (typeof gone === "string") return { kind: "delete", path: changeable(gone, name) };
  if (typeof move === "string" && typeof to === "string")
    return { kind: "move", path: changeable(move, name), to: changeable(pathToKeep(to), name) };
  throw new SysError("EINVAL", `not an operation: ${JSON.stringify(op).slice(0, 100)}`, [
    '{"put":PATH,"content":TEXT}, {"delete":PATH} or {"move":PATH,"to":PATH}',
  ]);
}

function changeable(path: string, { name }: RepoName): string {
  const wanted = pathInside(path);
  if (name !== HOME_REPO || VERSIONED.some((top) => wanted.startsWith(`${top}/`))) return wanted;
  throw new SysError("EINVAL", `not under version control: ${wanted}`, [
    `versioned in a home: ${VERSIONED.join(", ")}`,
  ]);
}

function inside(path: string | undefined): string | undefined {
  return path === undefined || path === "" ? undefined : pathInside(path);
}

function repoText({ owner, name }: RepoName): string {
  return `${owner}/${name}`;
}
