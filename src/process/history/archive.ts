// Archives of histories: packed as one gzip member of JSON lines, then read back and verified with another gzip library before anything is
// deleted. Works page by page, so memory is bounded however long a history is.

import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Message, ToolCall, ToolOutcome } from "../../abi/process/message.ts";
import { nextPlace, placeOf } from "../../kernel/pages.ts";
import { TimeSlice } from "../../lib/clock.ts";
import { objectCutToFit } from "../../lib/text/fitting.ts";
import { linesOf } from "../../lib/text/lines.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ArchiveRow, ArchiveRows } from "../../store/kernel/processes/archives.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ArchiveRecord, Closing, ProcessStore } from "../../store/process/verbs.ts";
import type { ArchiveInfo, Archives } from "../../syscalls/services.ts";
import { damagedArchive } from "../../syscalls/session/archive.ts";

const PAGE_ROWS = 500;
const READ_BYTES = 256 * 1024;
/** Compressed at once; a record may have megabytes. */
const PIECE_BYTES = 32 * 1024;

export function archiveKey(username: string, pid: string, archiveId: string): string {
  return `var/sessions/${username}/${pid}/${archiveId}.jsonl.gz`;
}

export interface Packed {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Final once the bytes are through. */
  readonly lines: () => number;
}

export function pack(pages: AsyncIterable<readonly ArchiveRecord[]>): Packed {
  let lines = 0;
  async function* compressed(): AsyncIterable<Uint8Array> {
    const { Gzip } = await import("fflate");
    const ready: Uint8Array[] = [];
    const gzip = new Gzip({ level: 6 }, (chunk) => ready.push(chunk));
    const slice = new TimeSlice();
    for await (const records of pages) {
      lines += records.length;
      for (const bytes of piecesOf(records)) {
        gzip.push(bytes);
        await slice.step();
      }
      yield* ready.splice(0);
    }
    gzip.push(new Uint8Array(), true);
    yield* ready.splice(0);
  }
  return { bytes: compressed(), lines: () => lines };
}

function* piecesOf(records: readonly ArchiveRecord[]): Generator<Uint8Array> {
  let text = "";
  for (const [index, record] of records.entries()) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < PIECE_BYTES && index < records.length - 1) continue;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
    text = "";
  }
}

export async function faultOf(
  objects: Pick<ObjectStore, "read">,
  row: { readonly key: string; readonly sha256: string; readonly lines: number },
): Promise<string | null> {
  const hash = new Bun.CryptoHasher("sha256");
  let lines = 0;
  try {
    for await (const _ of archiveLines(objects, row.key, (bytes) => hash.update(bytes))) lines++;
  } catch (error) {
    return messageOf(error);
  }
  if (hash.digest("hex") !== row.sha256) return "checksum mismatch";
  return lines === row.lines ? null : `it has ${lines} records, not ${row.lines}`;
}

export async function* archiveLines(
  objects: Pick<ObjectStore, "read">,
  key: string,
  tap: (bytes: Uint8Array) => void = () => {},
): AsyncIterable<string> {
  async function* stored(): AsyncIterable<Uint8Array> {
    for (let offset = 0; ; ) {
      const bytes = await objects.read(key, { offset, bytesMax: READ_BYTES });
      if (bytes.length === 0) return;
      tap(bytes);
      offset += bytes.length;
      yield bytes;
    }
  }
  async function* unpacked(): AsyncIterable<Uint8Array> {
    // Lazy: listing archives needs neither.
    const [{ Readable }, { createGunzip }] = await Promise.all([import("node:stream"), import("node:zlib")]);
    const source = Readable.from(stored());
    const gunzip = createGunzip();
    source.on("error", (error) => gunzip.destroy(error));
    // The iteration reports errors; without a listener they would end the kernel.
    gunzip.on("error", () => {});
    let total = 0;
    const slice = new TimeSlice();
    try {
      for await (const chunk of source.pipe(gunzip) as AsyncIterable<Uint8Array>) {
        total += chunk.length;
        if (total > LIMITS.archiveBytesMax)
          throw new SysError("EFBIG", `the archive unpacks to more than ${LIMITS.archiveBytesMax} bytes`);
        yield chunk;
        await slice.step();
      }
    } finally {
      source.destroy();
    }
  }
  yield* linesOf(unpacked());
}

async function* undamaged(
  key: string,
  lines: AsyncIterable<string>,
  needStill: () => Promise<unknown>,
): AsyncIterable<string> {
  try {
    yield* lines;
  } catch (error) {
    if (error instanceof SysError && error.code === "EFBIG") throw error;
    await needStill();
    throw damagedArchive(`/${key}`, messageOf(error));
  }
}

function recordOf(key: string, line: string): object {
  try {
    return JSON.parse(line) as object;
  } catch {
    throw damagedArchive(`/${key}`, "a record is not JSON");
  }
}

export interface ArchivePorts {
  readonly kernel: KernelStore;
  readonly objects: Pick<ObjectStore, "read">;
}

export function archivesService({ kernel, objects }: ArchivePorts): Archives {
  async function visible(caller: Caller, id: string): Promise<ArchiveRow> {
    const row = await kernel.archives.get(id);
    if (row === null || (row.ownerUid !== caller.ownerUid && !isRoot(caller))) {
      throw new SysError("ENOENT", `no such archive: ${id}`, ["to list archives: gsv archive list"]);
    }
    return row;
  }

  async function info(row: ArchiveRow): Promise<ArchiveInfo> {
    const owner = (await kernel.accounts.byUid(row.ownerUid))?.username ?? String(row.ownerUid);
    const { ownerUid: _, key, ...rest } = row;
    return { ...rest, owner, path: `/${key}` };
  }

  return {
    async list(caller, { pid, after }) {
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.archives.list({
        ...owner,
        ...placeOf(after),
        ...(pid === undefined ? {} : { pid }),
        limit: PAGE_ROWS,
      });
      return { archives: await Promise.all(rows.map(info)), next: nextPlace(rows.at(-1), rows.length === PAGE_ROWS) };
    },

    async show(caller, id, { after, limit }) {
      const row = await visible(caller, id);
      const fault = await faultOf(objects, row);
      if (fault !== null) {
        // It may have been deleted while it was read.
        await visible(caller, id);
        throw damagedArchive(`/${row.key}`, fault);
      }
      const records: object[] = [];
      const inPart: number[] = [];
      const path = `/${row.key}`;
      let number = 0;
      let bytes = 0;
      for await (const line of undamaged(row.key, archiveLines(objects, row.key), () => visible(caller, id))) {
        if (number++ < after) continue;
        bytes += line.length;
        if (records.length === limit || (bytes > LIMITS.answerBytesMax && records.length > 0))
          return { records, path, inPart, next: after + records.length };
        const record = recordOf(row.key, line);
        const isShort = Buffer.byteLength(line) <= LIMITS.answerBytesMax;
        if (!isShort) inPart.push(number);
        records.push(isShort ? record : objectCutToFit(record, LIMITS.answerBytesMax));
      }
      return { records, path, inPart, next: null };
    },

    async verify(caller, id) {
      const row = await visible(caller, id);
      const fault = await faultOf(objects, row);
      // The archive may have been deleted while it was read.
      if (fault !== null) await visible(caller, id);
      return { archive: await info(row), ok: fault === null, fault };
    },
  };
}

interface ArchivedMessage {
  readonly id: number | null;
  readonly role: Message["role"];
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly outcome?: ToolOutcome;
  readonly run_id?: string;
  readonly origin?: Message["origin"];
  readonly ts: number;
}

const RESTORED_AT_ONCE = 200;

/**
 * Restores an archived history during a reset, which defines the first message number. Safe to repeat after a crash. Leaves out undelivered
 * messages and deleted media.
 */
export async function restoreInto(
  ports: {
    readonly archives: ArchiveRows;
    readonly objects: Pick<ObjectStore, "read">;
    readonly store: Pick<ProcessStore, "graft">;
  },
  pid: string,
  closing: Closing,
): Promise<void> {
  const archive = closing.restore === undefined ? null : await ports.archives.get(closing.restore);
  if (archive === null) return;
  let page: Message[] = [];
  let id = closing.cutSeq;
  const put = async () => {
    if (page.length > 0) await ports.store.graft(pid, { messages: page, segments: [] });
    page = [];
  };
  for await (const line of archiveLines(ports.objects, archive.key)) {
    const record = JSON.parse(line) as ArchivedMessage;
    if (record.id === null) continue;
    page.push(messageFrom(record, ++id));
    if (page.length >= RESTORED_AT_ONCE) await put();
  }
  await put();
}

function messageFrom(record: ArchivedMessage, id: number): Message {
  const { role, content, origin } = record;
  const base = { id, runId: record.run_id ?? null, timestamp: record.ts, ...(origin === undefined ? {} : { origin }) };
  if (role === "assistant") {
    const { thinking, tool_calls: toolCalls } = record;
    const answer = { text: content, ...(thinking === undefined ? {} : { thinking }) };
    return { ...base, role, content: { ...answer, ...(toolCalls === undefined ? {} : { toolCalls }) } };
  }
  if (role !== "toolResult") return { ...base, role, content };
  const { toolName = "", isError = false, outcome = "completed", tool_call_id: toolCallId = "" } = record;
  return { ...base, role, content: { toolName, isError, outcome, toolCallId, output: content } };
}
