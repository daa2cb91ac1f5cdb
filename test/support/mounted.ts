// All mounts, over a running kernel, as the kernel itself mounts them.

import type { Namespace } from "../../fs/namespace.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { type MountParts, mountedFiles } from "../../src/boot/mounts.ts";
import { homesOf, lazyRepos } from "../../src/boot/repos.ts";
import { cronFiles } from "../../src/due/cron-files.ts";
import { CoreFiles } from "../../src/kernel/files/crash-files.ts";
import { mountedWorkspaces } from "../../src/kernel/workspaces/mounted-workspaces.ts";
import type { TestKernel } from "./kernel.ts";

export interface Mounted {
  readonly files: Namespace;
  readonly read: (caller: Caller, path: string) => Promise<string>;
  readonly write: (caller: Caller, path: string, text: string, options?: object) => Promise<unknown>;
  readonly names: (caller: Caller, path: string) => Promise<string[]>;
}

export function mounted(home: TestKernel, more: Partial<MountParts> = {}): Mounted {
  const { kernel, objects } = home.stores;
  const door = (caller: Caller) => home.kernel.sysFor(caller.ownerUid, async () => caller);
  const { paths, clock, random } = home;
  const repos = lazyRepos({ paths, clock, path: process.env.PATH });
  const homes = homesOf(kernel, paths, repos);
  const workspaces = mountedWorkspaces({ kernel, repos, paths, clock, random: random.bytes });
  const files = mountedFiles({
    ...{ kernel, objects, homes, workspaces, clock, random: random.bytes, sysFor: door, actFor: door },
    cronFiles: cronFiles({ kernel, clock, random: random.bytes, zone: async () => "UTC", arm: async () => {} }),
    log: async () => "one\ntwo\n",
    crashes: new CoreFiles(paths.crashDir),
    onLocked: () => {},
    ...more,
  });
  return {
    files,
    read: async (caller, path) => Buffer.from((await files.read(caller, path, { bytesMax: 1 << 20 })).bytes).toString(),
    write: (caller, path, text, options = {}) =>
      files.write(caller, path, Buffer.from(text), { at: "start", ...options }),
    names: async (caller, path) => (await files.list(caller, path)).map(({ name }) => name),
  };
}
