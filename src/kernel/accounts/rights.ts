// Capabilities of a process: those of its account without the dropped ones. A child never has more than its parent, whichever account it
// acts as.

import { SysError } from "../../abi/errno.ts";
import { covers, mayUse } from "../../abi/identity.ts";
import type { AccountRows } from "../../store/kernel/people/accounts.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Rights } from "../../syscalls/account/account-service.ts";
import { visibleProcess } from "../registry.ts";
import { capabilityFault } from "./capabilities.ts";

export function rightsService(kernel: KernelStore): Rights {
  return {
    async of(caller, pid) {
      const row = await visibleProcess(kernel, caller, pid);
      const runAs = await kernel.accounts.byUid(row.uid);
      const all = await grantsOf(kernel.accounts, row.uid);
      const capabilities = all.filter((grant) => mayUse({ capabilities: all, dropped: row.dropped }, grant));
      return { pid, runAs: runAs?.username ?? String(row.uid), capabilities, dropped: row.dropped };
    },
  };
}

/** Capabilities that a new process lacks: the requested drops, those of its parent, and those that only its own account has. */
export async function droppedFor(
  accounts: AccountRows,
  parent: ProcessRow | null,
  runAsUid: number,
  wish: string | undefined,
): Promise<readonly string[]> {
  const asked = wordsOf(wish);
  for (const each of asked) {
    const fault = capabilityFault(each, true);
    if (fault !== null) throw new SysError("EINVAL", `cannot drop: ${fault}`);
  }
  const inherited = parent?.dropped ?? [];
  if (parent === null || parent.uid === runAsUid) return [...new Set([...inherited, ...asked])];
  const parents = await grantsOf(accounts, parent.uid);
  const beyond = (await grantsOf(accounts, runAsUid)).filter((grant) => !covers(parents, grant));
  return [...new Set([...inherited, ...beyond, ...asked])];
}

export function wordsOf(text: string | undefined): readonly string[] {
  return [...new Set((text ?? "").split(",").map((each) => each.trim()))].filter((each) => each !== "");
}

async function grantsOf(accounts: AccountRows, uid: number): Promise<readonly string[]> {
  const identity = await accounts.identity(uid);
  return identity === null ? [] : await accounts.capabilities(identity.gids);
}
