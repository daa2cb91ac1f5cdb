// /var/spool/approvals: one read-only file per open approval. Answers are given by a syscall for people only.

import type { Caller } from "../../src/abi/identity.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { syntheticFs } from "./synthetic.ts";

type SysFor = (caller: Caller) => Sys;

export function approvalsFs(sysFor: SysFor, clock: Clock): FileSystem {
  const named = async (caller: Caller, id: string) =>
    (await openApprovals(sysFor(caller))).find((approval) => approval.id === id);
  return syntheticFs(
    [
      {
        path: "/*",
        list: async (caller) => (await openApprovals(sysFor(caller))).map(({ id }) => id),
        has: async (caller, _before, id) => (await named(caller, id)) !== undefined,
      },
      {
        path: "/*",
        mode: 0o400,
        owner: async ({ uid, gid }) => ({ uid, gid }),
        text: async (caller, [id = ""]) => `${JSON.stringify(await named(caller, id), null, 2) ?? ""}\n`,
      },
    ],
    clock,
  );
}

/** All open approvals, oldest first. */
export async function openApprovals(sys: Sys): Promise<readonly Approval[]> {
  const all: Approval[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: { approvals: readonly Approval[]; next: string | null } = await sys.call(
      "hil.list",
      after ? { after } : {},
    );
    all.push(...page.approvals);
    after = page.next;
  }
  return all;
}
