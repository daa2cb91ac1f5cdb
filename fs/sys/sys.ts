// /sys: settings as files. /sys/config has the effective values; only root may write them, for the whole home. /sys/users/{uid}/config has
// an account's own settings. Reads and writes are calls by the reader, like `gsv config`; secrets show only whether they are set.

import { SETTING_NAMES } from "../../src/abi/config/config.ts";
import { keyFiled } from "../../src/abi/config/config-key.ts";
import { SysError } from "../../src/abi/errno.ts";
import { type Caller, isRoot } from "../../src/abi/identity.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { type Row, syntheticFs } from "../generated/synthetic.ts";
import { contextFileRows } from "../read/context-files.ts";
import { budgetRows } from "./budget.ts";
import { mcpRows } from "./mcp.ts";

export interface SysOptions {
  readonly sysFor: (caller: Caller) => Sys;
  readonly actFor: (caller: Caller) => Sys;
  readonly clock: Clock;
  /** Reference pages of syscalls. */
  readonly reference: {
    readonly names: () => Promise<readonly string[]>;
    readonly text: (name: string) => Promise<string>;
  };
}

export function sysFs({ sysFor, actFor, clock, reference }: SysOptions): FileSystem {
  const read = async (caller: Caller, key: string) =>
    `${(await sysFor(caller).call<{ shown: string }>("config.get", { key })).shown}\n`;
  const write = async (caller: Caller, args: object) => void (await sysFor(caller).call("config.set", args));
  const uids = async (caller: Caller): Promise<readonly string[]> => {
    if (!isRoot(caller)) return [String(caller.ownerUid)];
    const { accounts } = await sysFor(caller).call<{ accounts: readonly { uid: number }[] }>("account.list", {});
    return accounts.map(({ uid }) => String(uid));
  };
  const groups = async (caller: Caller) =>
    (await sysFor(caller).call<{ groups: readonly Group[] }>("group.list", {})).groups;
  const keys = {
    list: async () => SETTING_NAMES,
    has: async (_caller: Caller, before: readonly string[], key: string) =>
      keyFiled(before.length === 0 ? `/sys/config/${key}` : `/sys/users/0/config/${key}`) !== null,
  };

  const rows: readonly Row[] = [
    ...budgetRows(sysFor, actFor),
    ...mcpRows(sysFor),
    ...contextFileRows({
      path: "/config/ai/context.d/*",
      ...{ sysFor, actFor },
      calls: { list: "config.context.list", set: "config.context.set" },
      argsOf: () => ({}),
    }),
    { path: "/config/*", ...keys },
    {
      path: "/config/*",
      text: (caller, [key = ""]) => read(caller, key),
      write: async (caller, [key = ""], text) => {
        if (!isRoot(caller)) throw notRoot(caller, key);
        await write(caller, { key, value: lineOf(text), system: true });
      },
    },
    {
      path: "/users/*",
      list: uids,
      has: async (caller, _before, uid) => (await uids(caller)).includes(uid),
    },
    { path: "/users/*/config/*", ...keys },
    {
      path: "/users/*/config/*",
      text: (caller, [uid = "", key = ""]) => read(caller, `users/${uid}/${key}`),
      // The call checks permissions and values.
      owner: async ({ uid, gid }) => ({ uid, gid }),
      write: (caller, [uid = "", key = ""], text) => write(caller, { key: `users/${uid}/${key}`, value: lineOf(text) }),
    },
    {
      path: "/syscalls/*",
      list: () => reference.names(),
      has: async (_caller, _before, name) => (await reference.names()).includes(name),
    },
    { path: "/syscalls/*", text: (_caller, [name = ""]) => reference.text(name) },
    {
      path: "/capabilities/*",
      list: async (caller) => (await groups(caller)).map(({ gid }) => String(gid)),
      has: async (caller, _before, gid) => (await groups(caller)).some((group) => String(group.gid) === gid),
    },
    {
      path: "/capabilities/*",
      text: async (caller, [gid = ""]) =>
        (await groups(caller))
          .filter((group) => String(group.gid) === gid)
          .flatMap(({ capabilities }) => capabilities.map((name) => `${name}\n`))
          .join(""),
    },
  ];
  return syntheticFs(rows, clock);
}

interface Group {
  readonly gid: number;
  readonly capabilities: readonly string[];
}

function notRoot({ ownerUid }: Caller, key: string): SysError {
  return new SysError("EPERM", `/sys/config/${key} applies to the whole home: only root may write it`, [
    `for one account: /sys/users/${ownerUid}/config/${key}`,
  ]);
}

/** Without the final newline of `echo` and editors. */
function lineOf(text: string): string {
  return text.replace(/\r?\n$/, "");
}
