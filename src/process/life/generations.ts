// Generations of a session: its conversations, one after the other. A reset ends one and begins the next, a kill only ends one. Both happen
// under the archive id of the reset or kill, so repeating them after a crash changes nothing. The archive of a conversation is stored a
// second time under the conversation's id.

import { type RandomBytes, uuidv4 } from "../../abi/ids.ts";
import type { ObjectMeta, ObjectStore } from "../../objects/objects.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Generation } from "../../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Closing } from "../../store/process/verbs.ts";
import type { Closed } from "../../syscalls/services.ts";
import { copyObject } from "../history/copy-history.ts";

export interface GenerationPorts {
  readonly kernel: Pick<KernelStore, "sessions" | "accounts" | "archives">;
  readonly objects: ObjectStore;
  readonly random: RandomBytes;
}

function sessionKey(agent: string, generationId: string): string {
  return `agents/${agent}/sessions/${generationId}.jsonl.gz`;
}

export async function nextGeneration(
  { kernel, random }: Pick<GenerationPorts, "kernel" | "random">,
  { pid }: ProcessRow,
  { reason, archiveId: closingId, restore, startedAt: now }: Closing,
): Promise<Generation | null> {
  const nextId = reason === "kill" ? null : uuidv4(random);
  const restored = restore === undefined ? null : await kernel.sessions.closedBy(restore);
  return await kernel.sessions.turn(pid, { closingId, nextId, restoredFrom: restored?.id ?? restore ?? null, now });
}

export async function copyToGeneration(
  { kernel, objects }: Pick<GenerationPorts, "kernel" | "objects">,
  row: ProcessRow,
  { generation, closed }: { readonly generation: Generation; readonly closed: Closed },
): Promise<void> {
  const archive = closed.archiveId === null ? null : await kernel.archives.get(closed.archiveId);
  const source = archive === null ? null : await objects.head(archive.key);
  const agent = await kernel.accounts.byUid(row.uid);
  if (source === null || agent === null) return;
  await ensureOwnDirectory(objects, `agents/${agent.username}/sessions`, source);
  const key = sessionKey(agent.username, generation.id);
  await copyObject(objects, source, key);
  await kernel.sessions.keep(generation.id, key);
}

// Private: even the names in it are.
async function ensureOwnDirectory(objects: ObjectStore, directory: string, like: ObjectMeta): Promise<void> {
  const key = `${directory}/.dir`;
  if ((await objects.head(key)) !== null) return;
  const { uid, gid, mtimeMs } = like;
  const about = { type: "application/x-directory", dirmarker: true, symlink: null };
  await objects.put({ key, uid, gid, mode: 0o700, mtimeMs, ...about }, new Uint8Array());
}
