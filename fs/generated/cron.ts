// /var/spool/cron and /etc/cron.d: files whose lines are schedules. Writing a file installs it; a bad line refuses the whole file.

import { type Caller, isRoot } from "../../src/abi/identity.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { FileError } from "../error.ts";
import type { FileSystem } from "../filesystem.ts";
import { syntheticFs } from "./synthetic.ts";

export interface CronFiles {
  /** Names of files; all accounts' for null. */
  names(directory: string, ownerUid: number | null): Promise<readonly string[]>;
  /** null if there is none. */
  text(path: string): Promise<string | null>;
  /** The account of a file of /var/spool/cron; null if there is none of that name. */
  accountOf(name: string): Promise<{ readonly uid: number; readonly gid: number } | null>;
  install(caller: Caller, path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface CronPlace {
  readonly directory: string;
  /** Only root's, with a user in each line. */
  readonly isSystem: boolean;
}

export const SPOOL: CronPlace = { directory: "/var/spool/cron", isSystem: false };
export const SYSTEM: CronPlace = { directory: "/etc/cron.d", isSystem: true };

export function cronFs(files: CronFiles, { directory, isSystem }: CronPlace, clock: Clock): FileSystem {
  const list = (caller: Caller) => files.names(directory, isSystem || isRoot(caller) ? null : caller.ownerUid);
  const pathOf = (name: string) => `${directory}/${name}`;
  return syntheticFs(
    [
      {
        ...{ path: "/*", mode: isSystem ? 0o755 : 0o1777, list },
        has: async (caller, _before, name) => (await list(caller)).includes(name),
      },
      {
        ...{ path: "/*", mode: isSystem ? 0o644 : 0o600 },
        owner: async ({ uid, gid }) => (isSystem ? { uid: 0, gid: 0 } : { uid, gid }),
        text: async (_caller, [name = ""]) => (await files.text(pathOf(name))) ?? "",
        async write(caller, [name = ""], text, { at }) {
          const path = pathOf(name);
          if (caller.kind !== "person") throw new FileError("EPERM", path, "an agent adds a schedule with sched add");
          if (!isSystem) await needOwn(files, caller, name, path);
          const before = at === "end" ? ((await files.text(path)) ?? "") : "";
          await files.install(caller, path, before + text);
        },
        async remove(caller, [name = ""]) {
          if (caller.kind !== "person") throw new FileError("EPERM", pathOf(name));
          if (!isSystem) await needOwn(files, caller, name, pathOf(name));
          await files.remove(pathOf(name));
        },
      },
    ],
    clock,
  );
}

async function needOwn(files: CronFiles, caller: Caller, name: string, path: string): Promise<void> {
  const account = await files.accountOf(name);
  if (account === null) throw new FileError("EINVAL", path, `no account ${name}`);
  if (account.uid !== caller.uid && !isRoot(caller)) throw new FileError("EACCES", path);
}
