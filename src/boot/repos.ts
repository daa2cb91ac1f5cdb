// Builds repositories and workspaces at their first use. Most commands need neither them nor git.

import { existsSync } from "node:fs";
import type { RepoFsOptions } from "../../fs/repo/homes.ts";
import type { RandomBytes } from "../abi/ids.ts";
import { HOME_REPO } from "../abi/repo.ts";
import type { BootstrapPorts, Receiver } from "../kernel/accounts/agent-home.ts";
import type { NewWorkspacePorts } from "../kernel/workspaces/new-workspace.ts";
import type { HomeWatch } from "../kernel/workspaces/watch-homes.ts";
import type { Clock } from "../lib/clock.ts";
import type { HomePaths } from "../paths.ts";
import type { Repos } from "../repos/repos.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Repositories } from "../syscalls/repo/repo-service.ts";
import type { Workspaces } from "../syscalls/repo/workspace-service.ts";

export interface RepoMachine {
  readonly paths: Pick<HomePaths, "reposDir">;
  readonly clock: Clock;
  readonly path?: string | undefined;
  readonly log?: (line: string) => void;
  readonly onHome?: (owner: string) => void;
}

/** Most commands are over by then. */
const WATCH_AFTER_MS = 1000;

const LOOKING = ["list", "refs", "read", "search", "log", "show", "diff", "compare"] as const;
const CHANGING = ["create", "apply", "restore", "import", "sync", "remove"] as const;

export type LazyRepos = () => Promise<Repos>;

/** What puts files into new homes; its texts are loaded only where there is one. */
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
    run: async (context: CallContext) => (await load()).bootstrapService(ports).run(context),
  };
}

function treesOf({ reposDir }: Pick<HomePaths, "reposDir">, repos: LazyRepos) {
  return {
    directoryOf: (username: string) => `${reposDir}/${username}/home`,
    treeOf: async (username: string) => (await repos()).tree({ owner: username, name: HOME_REPO }),
  };
}

/** One object for a home, whoever asks first. */
export function lazyRepos({ paths, ...machine }: RepoMachine): LazyRepos {
  let made: Promise<Repos> | null = null;
  const make = async () =>
    new (await import("../repos/repos.ts")).Repos({ directory: paths.reposDir, path: undefined, ...machine });
  return () => {
    made ??= make();
    return made;
  };
}

export interface RepoParts {
  readonly repos: LazyRepos;
  readonly watching: { readonly close: () => Promise<void> };
}

/** The repositories of a kernel, those of homes watched. */
export function bootRepos(machine: RepoMachine, onFault: (error: unknown) => void): RepoParts {
  const repos: LazyRepos = lazyRepos({ ...machine, onHome: (owner) => watching.onHome(owner) });
  const watching = watchHomes(machine, () => repos(), onFault);
  return { repos, watching };
}

/** A kernel that lives long enough looks after the homes there are, and after each that gets a tree. */
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

/** `change` takes the place of what changes something, where nothing may. */
export function lazyRepositories(
  { accounts, workspaces }: Pick<KernelStore, "accounts" | "workspaces">,
  repos: LazyRepos,
  change?: () => Promise<never>,
): Repositories {
  const service = async () =>
    (await import("../kernel/workspaces/repos.ts")).repositoriesService({
      accounts,
      workspaces,
      repos: await repos(),
    }) as unknown as { readonly [name: string]: (...asked: unknown[]) => Promise<unknown> };
  const ask =
    (name: string) =>
    async (...asked: unknown[]) =>
      (await service())[name]?.(...asked);
  const calls = [
    ...LOOKING.map((name) => [name, ask(name)] as const),
    ...CHANGING.map((name) => [name, change ?? ask(name)] as const),
  ];
  return Object.fromEntries(calls) as unknown as Repositories;
}

/** What the mount of versioned homes asks for: whose home a path is, where its tree lies, and the tree itself for a change. */
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

/** `change` takes the place of what changes something, where nothing may. */
export function lazyWorkspaces(machine: WorkspaceMachine, change?: () => Promise<never>): Workspaces {
  const ports = { ...newWorkspacesOf(machine), kernel: machine.kernel };
  const service = async () => (await import("../kernel/workspaces/workspaces.ts")).workspacesService(ports);
  return {
    list: async (...asked) => (await service()).list(...asked),
    get: async (...asked) => (await service()).get(...asked),
    log: async (...asked) => (await service()).log(...asked),
    create: change ?? (async (...asked) => (await service()).create(...asked)),
    attach: change ?? (async (...asked) => (await service()).attach(...asked)),
    archive: change ?? (async (...asked) => (await service()).archive(...asked)),
  };
}
