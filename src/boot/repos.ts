// Builds repositories and workspaces at their first use. Most commands need neither them nor git.

import { existsSync } from "node:fs";
import type { RepoFsOptions } from "../../fs/repo/homes.ts";
import type { RandomBytes } from "../abi/ids.ts";
import { HOME_REPO } from "../abi/repo.ts";
import type { BootstrapPorts, Receiver } from "../kernel/accounts/agent-home.ts";
import type { NewWorkspacePorts } from "../kernel/workspaces/new-workspace.ts";
import type { HomeWatch } from "../kernel/workspaces/watch-homes.ts";
import type { Clock } from "../lib/clock.ts";
import { lazy, once } from "../lib/lazy.ts";
import type { HomePaths } from "../paths.ts";
import type { Repos } from "../repos/repos.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Repositories } from "../syscalls/repo/repo-service.ts";
import type { Workspaces } from "../syscalls/repo/workspace.ts";

export interface RepoMachine {
  readonly paths: Pick<HomePaths, "reposDir">;
  readonly clock: Clock;
  readonly path?: string | undefined;
  readonly log?: (line: string) => void;
  readonly onHome?: (owner: string) => void;
}

/** Most kernels of one command have exited by then. */
const WATCH_AFTER_MS = 1000;

const LOOKING = ["list", "refs", "read", "search", "log", "show", "diff", "compare"] as const;
const CHANGING = ["create", "apply", "restore", "import", "sync", "remove"] as const;

export type LazyRepos = () => Promise<Repos>;

/** Puts files into new homes. Their texts are loaded only when needed. */
export function bootstrapOf(
  { kernel, objects }: Pick<BootstrapPorts, "kernel" | "objects">,
  { paths }: RepoMachine,
  repos: LazyRepos,
) {
  const ports: BootstrapPorts = { kernel, objects, ...treesOf(paths, repos) };
  const load = () => import("../kernel/accounts/agent-home.ts");
  return {
    give: async (account: Receiver) => {
      if (!existsSync(ports.directoryOf(account.username))) await (await load()).give(ports, account);
    },
    skills: async (context: CallContext) => (await load()).giveAll(ports, context),
  };
}

function treesOf({ reposDir }: Pick<HomePaths, "reposDir">, repos: LazyRepos) {
  return {
    directoryOf: (username: string) => `${reposDir}/${username}/home`,
    treeOf: async (username: string) => (await repos()).tree({ owner: username, name: HOME_REPO }),
  };
}

export function lazyRepos({ paths, ...machine }: RepoMachine): LazyRepos {
  return once(
    async () =>
      new (await import("../repos/repos.ts")).Repos({ directory: paths.reposDir, path: undefined, ...machine }),
  );
}

export interface RepoParts {
  readonly repos: LazyRepos;
  readonly watching: { readonly close: () => Promise<void> };
}

/** The repositories of a kernel. Those of homes are watched. */
export function bootRepos(machine: RepoMachine, onFault: (error: unknown) => void): RepoParts {
  const repos: LazyRepos = lazyRepos({ ...machine, onHome: (owner) => watching.onHome(owner) });
  const watching = watchHomes(machine, () => repos(), onFault);
  return { repos, watching };
}

/** Watches existing homes after a second, and each home that gets a tree. */
function watchHomes({ paths, clock }: RepoMachine, repos: LazyRepos, onFault: (error: unknown) => void) {
  let watch: Promise<HomeWatch> | null = null;
  const made = () => {
    watch ??= import("../kernel/workspaces/watch-homes.ts").then(({ HomeWatch }) => {
      const treeOf = async (owner: string) => (await repos()).tree({ owner, name: HOME_REPO });
      return new HomeWatch({ directory: paths.reposDir, clock, treeOf, onFault });
    });
    return watch;
  };
  const cancel = clock.after(
    WATCH_AFTER_MS,
    () =>
      void made()
        .then((each) => each.begin())
        .catch(onFault),
  );
  return {
    onHome: (owner: string) =>
      void made()
        .then((each) => each.add(owner))
        .catch(onFault),
    async close() {
      cancel();
      await (await watch)?.close();
    },
  };
}

/** `change` replaces the calls that write, for the read-only view. */
export function lazyRepositories(
  { accounts, workspaces }: Pick<KernelStore, "accounts" | "workspaces">,
  repos: LazyRepos,
  change?: () => Promise<never>,
): Repositories {
  const load = async () =>
    (await import("../kernel/workspaces/repos.ts")).repositoriesService({ accounts, workspaces, repos: await repos() });
  const service = lazy<Repositories, keyof Repositories>(load, [...LOOKING, ...CHANGING]);
  return change === undefined ? service : { ...service, ...refusing(CHANGING, change) };
}

function refusing<Name extends string>(names: readonly Name[], change: () => Promise<never>) {
  return Object.fromEntries(names.map((name) => [name, change])) as { readonly [N in Name]: typeof change };
}

/** What the mount of versioned homes needs: the account of a home, and its tree. */
export function homesOf(
  { accounts }: Pick<KernelStore, "accounts">,
  paths: Pick<HomePaths, "reposDir">,
  repos: LazyRepos,
): Omit<RepoFsOptions, "under"> {
  return {
    async accountAt(home) {
      const account = await accounts.byName(home.slice(home.lastIndexOf("/") + 1));
      return account?.home === home ? account : null;
    },
    ...treesOf(paths, repos),
  };
}

export interface WorkspaceMachine {
  readonly kernel: KernelStore;
  readonly repos: LazyRepos;
  readonly paths: Pick<HomePaths, "home" | "reposDir">;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: (line: string) => void;
}

export function newWorkspacesOf({ kernel, repos, paths, clock, random, log }: WorkspaceMachine): NewWorkspacePorts {
  return { kernel, repos, clock, random, home: paths.home, log };
}

/** `change` replaces the calls that write, for the read-only view. */
export function lazyWorkspaces(machine: WorkspaceMachine, change?: () => Promise<never>): Workspaces {
  const load = async () =>
    (await import("../kernel/workspaces/workspaces.ts")).workspacesService({
      ...newWorkspacesOf(machine),
      kernel: machine.kernel,
    });
  const writes = ["create", "attach", "archive"] as const;
  const service = lazy<Workspaces, keyof Workspaces>(load, ["list", "get", "log", ...writes]);
  return change === undefined ? service : { ...service, ...refusing(writes, change) };
}
