// Copies the history of a process into a new one: messages with their numbers, segments and media. Safe to repeat after a crash.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Message } from "../../abi/process/message.ts";
import { mediaNamed, mediaPrefix } from "../../objects/keys.ts";
import type { ObjectMeta, ObjectStore } from "../../objects/objects.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";

/** State for continuing after a crash. */
export interface ForkStep {
  readonly from: string;
  readonly through: number;
}

const PAGE = { limit: LIMITS.historyPageMax, bytesMax: LIMITS.answerBytesMax };
const PIECE_BYTES = 1024 * 1024;

export interface CopyPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly objects: ObjectStore;
}

/** Also completes a copy at kernel start. Skips what the source no longer has. */
export async function copyHistory(ports: CopyPorts, row: ProcessRow, { from, through }: ForkStep): Promise<void> {
  const { kernel, store, ledger } = ports;
  const source = await kernel.processes.get(from);
  if (source === null || !(await store.exists(from))) return;
  await ledger.open(source);
  const moved = await copyMedia(ports.objects, source, row);
  const segments = (await store.segments(from)).filter(({ summarySeq }) => summarySeq <= through);
  const rewinds = (await store.rewinds(from)).filter(({ noteSeq }) => noteSeq <= through);
  for (let afterSeq = 0; ; ) {
    const page = await store.history(from, { ...PAGE, afterSeq, beforeSeq: through + 1 });
    const messages = page.messages.map((message) => pointing(message, moved));
    await ledger.write(row, () => store.graft(row.pid, { messages, segments: [] }));
    const last = page.messages.at(-1);
    if (last === undefined || last.id >= through) break;
    afterSeq = last.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ledger.write(row, () => store.graft(row.pid, { messages: [], segments, rewinds }));
}

interface Moved {
  readonly from: string;
  readonly to: string;
}

async function copyMedia(objects: ObjectStore, source: ProcessRow, row: ProcessRow): Promise<Moved | null> {
  const from = mediaPrefix(source.ownerUid, source.pid);
  const to = mediaPrefix(row.ownerUid, row.pid);
  const media = await objects.page(from, null, LIMITS.mediaPerProcessMax);
  for (const meta of media) {
    const name = mediaNamed(meta.key)?.name;
    if (name === undefined) continue;
    await copyObject(objects, meta, `${to}${name}`);
  }
  return media.length === 0 ? null : { from: `/${from}`, to: `/${to}` };
}

export async function copyObject(objects: ObjectStore, source: ObjectMeta, key: string): Promise<void> {
  const { size: _, sha256: __, ...about } = source;
  await objects.put({ ...about, key }, bytesOf(objects, source));
}

async function* bytesOf(objects: ObjectStore, { key, size }: ObjectMeta): AsyncIterable<Uint8Array> {
  for (let offset = 0; offset < size; offset += PIECE_BYTES)
    yield await objects.read(key, { offset, bytesMax: PIECE_BYTES });
}

/** Media references point to the copies. Sealed parts stay unchanged. */
function pointing(message: Message, moved: Moved | null): Message {
  if (moved === null) return message;
  const seal = message.role === "assistant" ? message.content.seal : undefined;
  const text = JSON.stringify(message.content);
  if (!text.includes(moved.from)) return message;
  const content = JSON.parse(text.replaceAll(moved.from, moved.to)) as Message["content"];
  if (seal === undefined) return { ...message, content } as Message;
  return { ...message, content: { ...(content as object), seal } } as Message;
}
