// Workspaces, put together: the service when it is first asked for, and what spawn and reset need of them.

import type { RandomBytes } from "../abi/ids.ts";
import type { WorkplacePorts } from "../kernel/workspaces/host-directories.ts";
import type { Clock } from "../lib/clock.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Workspaces } from "../syscalls/repo/workspace-service.ts";
import type { LazyRepos } from "./repos.ts";

export interface WorkspaceMachine {
  readonly kernel: KernelStore;
  readonly repos: LazyRepos;
  readonly paths: Pick<HomePaths, "home" | "reposDir">;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: (line: string) => void;
}

export function workplacesOf({ kernel, repos, paths, clock, random, log }: WorkspaceMachine): WorkplacePorts {
  return { kernel, repos, clock, random, home: paths.home, log };
}

/** `change` takes the place of what changes something, where nothing may. */
export function lazyWorkspaces(machine: WorkspaceMachine, change?: () => Promise<never>): Workspaces {
  const ports = { ...workplacesOf(machine), kernel: machine.kernel };
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
