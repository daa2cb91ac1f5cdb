// Facts that the kernel and the read-only view (boot/read.ts) have to tell alike: version, whose home `~name` is, names of accounts.

import type { Caller } from "../abi/identity.ts";
import type { Names } from "../kernel/files/file-tree.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { KernelStatus } from "../syscalls/services.ts";
import { COMMIT, VERSION } from "../version.ts";

export function aboutThis(paths: HomePaths): Pick<KernelStatus, "version" | "commit" | "bun" | "home"> {
  return { version: VERSION, commit: COMMIT, bun: Bun.version, home: paths.home };
}

/** The home that `~` (no name) or `~name` stands for. */
export async function homeNamed(kernel: KernelStore, caller: Caller, username: string | null): Promise<string | null> {
  const account =
    username === null ? await kernel.accounts.byUid(caller.ownerUid) : await kernel.accounts.byName(username);
  return account?.home ?? null;
}

export function namesIn(kernel: Pick<KernelStore, "accounts" | "groups">): Names {
  return {
    owner: async (uid) => (await kernel.accounts.byUid(uid))?.username ?? null,
    group: (gid) => kernel.groups.nameOf(gid),
    uidOf: async (name) => (await kernel.accounts.byName(name))?.uid ?? null,
    gidOf: async (name) => (await kernel.groups.byName(name))?.gid ?? null,
  };
}
