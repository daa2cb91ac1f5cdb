// /var/crash: reports of failed runs, one file each, read-only. Each account sees its own processes' files, root all.

import { type Caller, isRoot } from "../../src/abi/identity.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { syntheticFs } from "./synthetic.ts";

export interface CrashFiles {
  /** Newest first; null for all owners. */
  list(ownerUid: number | null): readonly { readonly name: string }[];
  read(ownerUid: number | null, name: string): string | null;
}

export function crashFs(files: CrashFiles, clock: Clock): FileSystem {
  const whose = (caller: Caller) => (isRoot(caller) ? null : caller.ownerUid);
  return syntheticFs(
    [
      {
        path: "/*",
        list: async (caller) => files.list(whose(caller)).map(({ name }) => name),
        has: async (caller, _before, name) => files.list(whose(caller)).some((file) => file.name === name),
      },
      {
        path: "/*",
        mode: 0o400,
        owner: async ({ uid, gid }) => ({ uid, gid }),
        text: async (caller, [name = ""]) => files.read(whose(caller), name) ?? "",
      },
    ],
    clock,
  );
}
