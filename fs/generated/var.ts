// Generated files below /var.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { type Caller, isRoot } from "../../src/abi/identity.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Occurrence } from "../../src/abi/schedule.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { directoryFs, syntheticFs } from "./synthetic.ts";

/** Read-only, and the reader's own. */
const PRIVATE = { mode: 0o400, owner: async ({ uid, gid }: Caller) => ({ uid, gid }) };

interface LogOptions {
  readonly text: () => Promise<string>;
  readonly reader: () => Promise<{ readonly uid: number; readonly gid: number }>;
  readonly sysFor: (caller: Caller) => Sys;
  readonly clock: Clock;
}

/** /var/log/gsv: the kernel's log, for root and the home's owner, and each account's own scheduler log. Secrets are redacted before. */
export function logFs({ text, reader, sysFor, clock }: LogOptions): FileSystem {
  const scheduler = async (caller: Caller) => {
    const { occurrences } = await sysFor(caller).call<{ occurrences: readonly Occurrence[] }>("sched.history", {
      limit: LIMITS.historyPageMax,
    });
    return occurrences.toReversed().map(schedulerLine).join("");
  };
  return syntheticFs(
    [
      { path: "/kernel.log", mode: 0o400, owner: reader, text },
      { path: "/scheduler", ...PRIVATE, text: scheduler },
    ],
    clock,
  );
}

/** Instants are ISO for people and programs that read the log. */
function schedulerLine({ scheduledAt, startedAt, finishedAt, ...rest }: Occurrence): string {
  const [scheduled, started, finished] = [scheduledAt, startedAt, finishedAt].map((at) =>
    at === null ? null : new Date(at).toISOString(),
  );
  return `${JSON.stringify({ scheduled, started, finished, ...rest })}\n`;
}

export interface CrashFiles {
  /** Newest first; null for all owners. */
  list(ownerUid: number | null): readonly { readonly name: string }[];
  read(ownerUid: number | null, name: string): string | null;
}

/** /var/crash: reports of failed runs. Each account sees its own processes' files, root all. */
export function crashFs(files: CrashFiles, clock: Clock): FileSystem {
  const whose = (caller: Caller) => (isRoot(caller) ? null : caller.ownerUid);
  return directoryFs(
    async (caller) => files.list(whose(caller)).map(({ name }) => name),
    { ...PRIVATE, text: async (caller, [name = ""]) => files.read(whose(caller), name) ?? "" },
    clock,
  );
}

/** /var/spool/approvals: one file per open approval. Answers are given by a syscall for people only. */
export function approvalsFs(sysFor: (caller: Caller) => Sys, clock: Clock): FileSystem {
  const approvals = (caller: Caller) => openApprovals(sysFor(caller));
  return directoryFs(
    async (caller) => (await approvals(caller)).map(({ id }) => id),
    {
      ...PRIVATE,
      async text(caller, [id]) {
        const approval = (await approvals(caller)).find((each) => each.id === id);
        return `${JSON.stringify(approval, null, 2) ?? ""}\n`;
      },
    },
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
