// Builds the caller of a call: a person at a client, the agent of a process, or a program or machine with a token. Groups and capabilities are read
// for each caller, so that a revoked grant or locked account takes effect with the next call.

import { SysError } from "../../abi/errno.ts";
import { type Caller, limitedTo } from "../../abi/identity.ts";
import type { AccountRows } from "../../store/kernel/people/accounts.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import { GROUPS } from "./capabilities.ts";

export interface Callers {
  person(uid: number, cwd: string): Promise<Caller>;
  /** With a limited token of this account. */
  program(uid: number, cwd: string, allow: readonly string[]): Promise<Caller>;
  /** Acts as the run-as account, sees the owner's processes, lacks dropped capabilities. */
  process(row: ProcessRow): Promise<Caller>;
  /** A device only answers; a service has its group's capabilities. Neither sees any processes. */
  machine(uid: number, kind: "device" | "service"): Promise<Caller>;
}

const NOBODYS = -1;

/** Whether it is root or the person that the home belongs to. */
export function personOfHome(accounts: Pick<AccountRows, "firstHuman">): (uid: number) => Promise<boolean> {
  return async (uid) => uid === 0 || (await accounts.firstHuman())?.uid === uid;
}

export function callersFrom(accounts: AccountRows): Callers {
  async function identityOf(uid: number) {
    const identity = await accounts.identity(uid);
    if (identity === null) throw new SysError("EPERM", `account ${uid} does not exist`);
    if (await accounts.isLocked(uid)) throw new SysError("EAUTH", `account ${identity.username} is locked`);
    return identity;
  }

  async function resolve(
    uid: number,
    door: Pick<Caller, "kind" | "pid" | "ownerUid" | "cwd" | "dropped" | "looksOnly">,
  ): Promise<Caller> {
    const identity = await identityOf(uid);
    return { ...identity, ...door, capabilities: await accounts.capabilities(identity.gids) };
  }

  return {
    person: (uid, cwd) => resolve(uid, { kind: "person", ownerUid: uid, cwd }),
    async program(uid, cwd, allow) {
      return limitedTo(await resolve(uid, { kind: "person", ownerUid: uid, cwd }), allow);
    },
    async process({ uid, ownerUid, pid, cwd, dropped, mode }) {
      if (ownerUid !== uid) await identityOf(ownerUid);
      return await resolve(uid, {
        ...{ kind: "process", pid, ownerUid, cwd, dropped },
        ...(mode === "plan" && { looksOnly: true }),
      });
    },
    async machine(uid, kind) {
      const { uid: number, gid, username, home } = await identityOf(uid);
      const capabilities = kind === "device" ? [] : await accounts.capabilities([GROUPS.services]);
      return { uid: number, gid, gids: [gid], username, home, kind, ownerUid: NOBODYS, cwd: "/", capabilities };
    },
  };
}
