// Who a caller is: a person at a client, or the agent of a process, each with groups and capabilities looked up afresh, so that a
// revoked grant holds from the next call on.

import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import type { AccountRows } from "../store/kernel/accounts.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";

export interface Callers {
  person(uid: number, cwd: string): Promise<Caller>;
  /** The agent of a process: run-as identity, the owner's view of processes. */
  process(row: ProcessRow): Promise<Caller>;
}

export function callersFrom(accounts: AccountRows): Callers {
  async function resolve(uid: number, door: Pick<Caller, "kind" | "pid" | "ownerUid" | "cwd">): Promise<Caller> {
    const identity = await accounts.identity(uid);
    if (identity === null) throw new SysError("EPERM", `account ${uid} does not exist`);
    const capabilities = await accounts.capabilities(identity.gids);
    return { ...identity, ...door, capabilities };
  }
  return {
    person: (uid, cwd) => resolve(uid, { kind: "person", ownerUid: uid, cwd }),
    process: (row) => resolve(row.uid, { kind: "process", pid: row.pid, ownerUid: row.ownerUid, cwd: row.cwd }),
  };
}
