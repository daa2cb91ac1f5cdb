// A control plane in a directory of its own, with one human, her agent and a few processes, as a fresh home has them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import { KernelDb } from "../../src/store/kernel/db.ts";
import { openKernelDb } from "../../src/store/kernel/open.ts";
import type { FirstAccounts } from "../../src/store/kernel/people/accounts.ts";
import type { NewProcess } from "../../src/store/kernel/processes/processes.ts";
import { type KernelStore, sqliteKernelStore } from "../../src/store/kernel/sqlite.ts";
import type { OutboxRow } from "../../src/store/process/verbs.ts";
import { UNSAID } from "./asking.ts";

const account = (username: string, uid: number, home = `/home/${username}`) => {
  return { username, uid, gid: uid, gecos: username, home };
};

export const FIRST: FirstAccounts = {
  accounts: [account("root", 0, "/root"), account("sam", 1000), account("sam-agent", 1001)],
  groups: [
    { name: "root", gid: 0, members: [] },
    { name: "users", gid: 100, members: ["sam", "sam-agent"] },
    { name: "sam", gid: 1000, members: [] },
    { name: "sam-agent", gid: 1001, members: ["sam"] },
  ],
  grants: [
    { gid: 0, capability: "*" },
    { gid: 100, capability: "proc.*" },
    { gid: 100, capability: "fs.read" },
  ],
  personalAgent: { ownerUid: 1000, agentUid: 1001 },
};

export class KernelPlane {
  readonly directory = mkdtempSync(join(tmpdir(), "gsv-kernel-"));
  readonly path = join(this.directory, "kernel.db");
  private readonly opened: KernelDb[] = [];

  /** The next start of a kernel on this home. */
  begin(): KernelStore {
    const db = openKernelDb(this.path, { now: 1 });
    this.opened.push(db);
    db.begin(1);
    return sqliteKernelStore(db);
  }

  reading(): KernelStore | null {
    const db = KernelDb.openForReading(this.path);
    if (db === null) return null;
    this.opened.push(db);
    return sqliteKernelStore(db);
  }

  dispose(): void {
    for (const db of this.opened) db.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function newProcess(pid: string, about: Partial<NewProcess> = {}): NewProcess {
  return {
    pid,
    parentPid: null,
    uid: 1001,
    ownerUid: 1000,
    profile: "task",
    label: null,
    cwd: "/home/sam",
    workspaceId: null,
    createdAt: 1,
    step: { prompt: "hello" },
    ...about,
  };
}

export async function liveProcess(store: KernelStore, pid: string, about: Partial<NewProcess> = {}): Promise<void> {
  await store.processes.create(newProcess(pid, about));
  await store.processes.live(pid, { dirty: true });
}

export function outboxRow(
  seq: number,
  about: Partial<OutboxRow["projection"]> = {},
  approvals: Approval[] = [],
): OutboxRow {
  const projection = {
    state: "idle",
    activeRunId: null,
    queued: 0,
    lastActiveAt: seq,
    waitsFor: null,
    lastStatus: null,
    ...about,
  } as const;
  return { seq, projection, approvals, ended: null };
}

export function approval(pid: string, about: Partial<Approval> = {}): Approval {
  return {
    ...UNSAID,
    id: "a1b2",
    pid,
    runId: "run-1",
    tool: "Delete",
    call: "fs.delete",
    args: { path: "/a" },
    why: "delete /a",
    createdAt: 5,
    decision: null,
    by: null,
    decidedAt: null,
    ...about,
  };
}
