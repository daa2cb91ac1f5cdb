// Deletes what the retention settings limit: old archives, audit rows, ended runs, logged calls. A sweep deletes a limited amount, oldest
// first, and the next kernel continues it. Bytes of an archive go before their row, so that no bytes are left without a row. Each deleted
// archive is audited.

import type { RetentionSettings } from "../../abi/backup.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const ROOT_UID = 0;

export interface RetentionPorts {
  readonly kernel: Pick<KernelStore, "archives" | "audit" | "fileWrites" | "sessions">;
  readonly processes: Pick<ProcessStore, "opened" | "sweep">;
  readonly objects: Pick<ObjectStore, "remove">;
  readonly settings: RetentionSettings;
  readonly now: number;
  /** True when the kernel shuts down. */
  readonly isOver: () => boolean;
}

export async function retain(ports: RetentionPorts): Promise<void> {
  const { kernel, processes, settings, isOver } = ports;
  const before = (days: number) => (days > 0 ? ports.now - days * DAY_MS : null);
  await sweepArchives(ports, before(settings.archivesDays));
  const auditBefore = before(settings.auditDays);
  if (auditBefore !== null && !isOver())
    await kernel.audit.sweep({ before: auditBefore, rowsMax: LIMITS.sweptRowsMax });
  if (auditBefore !== null && !isOver()) await kernel.fileWrites.sweep(auditBefore, LIMITS.sweptRowsMax);
  const [runsBefore, callsBefore] = [before(settings.runsDays), before(settings.syscallLogDays)];
  if (runsBefore === null && callsBefore === null) return;
  // Only open databases: a quiet process does not grow, and opening it costs more than it frees.
  for (const pid of await processes.opened()) {
    if (isOver()) return;
    await processes.sweep(pid, { runsBefore, callsBefore, rowsMax: LIMITS.sweptRowsMax });
  }
}

async function sweepArchives({ kernel, objects, now, isOver }: RetentionPorts, before: number | null): Promise<void> {
  if (before === null) return;
  for (const { id, key, pid, createdAt } of await kernel.archives.olderThan(before, LIMITS.sweptArchivesMax)) {
    if (isOver()) return;
    // The archive of a conversation has a second copy under a session name.
    const generation = await kernel.sessions.closedBy(id);
    if (generation !== null && generation.key !== null) {
      await removeOrGone(objects, generation.key);
      await kernel.sessions.keep(generation.id, null);
    }
    await removeOrGone(objects, key);
    await kernel.archives.remove(id);
    const detail = `/${key}, archived ${new Date(createdAt).toISOString()}`;
    await kernel.audit.add({ at: now, uid: ROOT_UID, pid, call: "retention.archives", outcome: "ok", detail });
  }
}

async function removeOrGone(objects: RetentionPorts["objects"], key: string): Promise<void> {
  await objects.remove(key).catch((error: unknown) => {
    // An earlier sweep deleted it.
    if (!(error instanceof SysError && error.code === "ENOENT")) throw error;
  });
}
