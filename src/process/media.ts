// The service behind proc.media.*: objects below var/media/{uid}/{pid}/, for the owner and the owner's agents, who are in the owner's group.
// They are uploaded in pieces, belong to the history of that moment and are deleted with it. An upload that a reset or kill overtakes is discarded.

import { wholeContent } from "../../fs/large.ts";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { isUuid } from "../abi/ids.ts";
import { isSeen, type MediaRef, type Message } from "../abi/process/message.ts";
import { Uploads } from "../kernel/files/uploads.ts";
import { visibleProcess } from "../kernel/registry.ts";
import type { Clock } from "../lib/clock.ts";
import { mediaType } from "../lib/media-type.ts";
import type { TemporaryBytes } from "../lib/memory/growing-bytes.ts";
import { Serial } from "../lib/serial.ts";
import { mediaNamed, mediaPrefix } from "../objects/keys.ts";
import type { ObjectMeta, ObjectStore } from "../objects/objects.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { CallContext } from "../syscalls/define.ts";
import { PIECE_BYTES_MAX } from "../syscalls/fs/fs-tree.ts";
import { noSuchProcess } from "../syscalls/parse.ts";
import type { Media, MediaInfo, MediaPiece } from "../syscalls/system/storage.ts";

const PAGE_ROWS = 200;
const MIB = 1024 * 1024;

export interface MediaReads {
  readonly kernel: KernelStore;
  readonly objects: Pick<ObjectStore, "page" | "read">;
}

export interface MediaPorts {
  readonly kernel: KernelStore;
  readonly objects: ObjectStore;
  readonly store: Pick<ProcessStore, "head">;
  readonly open: (row: ProcessRow) => Promise<void>;
  readonly clock: Clock;
}

export function mediaReads({ kernel, objects }: MediaReads): Pick<Media, "get" | "list"> {
  return {
    async list(caller, { pid, after = null }) {
      const row = await visibleProcess(kernel, caller, pid);
      const page = await objects.page(mediaPrefix(row.ownerUid, pid), after, PAGE_ROWS);
      return { media: page.flatMap(infoOf), next: page.length < PAGE_ROWS ? null : (page.at(-1)?.key ?? null) };
    },

    async get(caller, { pid, id, offset }) {
      const found = await mediaOf(objects, await visibleProcess(kernel, caller, pid), id);
      if (found === null) throw noSuchMedia(pid, id);
      const bytes = await objects.read(found.key, { offset, bytesMax: PIECE_BYTES_MAX });
      const end = offset + bytes.byteLength;
      const data = Buffer.from(bytes).toString("base64");
      return { media: found.info, data, next: end < found.info.bytes && bytes.byteLength > 0 ? end : null };
    },
  };
}

/** Stores finished uploads one at a time, so that two together cannot exceed the limit. */
export class KeptMedia {
  private readonly storing = new Serial();

  constructor(private readonly ports: MediaPorts) {}

  keep(row: ProcessRow, whole: Whole): Promise<MediaInfo> {
    return this.storing.run(() => stored(this.ports, row, whole));
  }

  /** Number of the current history. Throws while the process is being reset or killed. */
  generationOf(row: ProcessRow): Promise<number> {
    return generationOf(this.ports, row);
  }

  async shown(row: ProcessRow, bytes: Uint8Array, id: string): Promise<MediaRef> {
    const generation = await this.generationOf(row);
    const { type, bytes: size, path } = await this.keep(row, { id, bytes, generation });
    return { id, type, bytes: size, path };
  }
}

interface MediaServicePorts extends Pick<MediaPorts, "kernel" | "objects" | "clock"> {
  readonly temporary: TemporaryBytes;
}

export function mediaService(ports: MediaServicePorts, kept: KeptMedia): Media {
  const { kernel, objects, clock, temporary } = ports;
  const uploads = new Uploads(clock, temporary);
  return {
    ...mediaReads(ports),

    async put({ caller, requestId }: CallContext, { pid, id = requestId, offset, data, more }: MediaPiece) {
      if (!isUuid(id)) throw new SysError("EINVAL", "id must be a UUID, the same for all pieces");
      const row = await visibleProcess(kernel, caller, pid);
      const before = await mediaOf(objects, row, id);
      // A retry of the last piece.
      if (before !== null) return { id, received: before.info.bytes, media: before.info };
      const piece = decoded(data);
      // Uploads do not continue across a reset.
      const generation = await kept.generationOf(row);
      const upload = `${pid} ${generation} ${id}`;
      const received = uploads.stage(caller, { upload, offset, piece });
      if (received > LIMITS.mediaBytesMax) {
        uploads.forget(caller, upload);
        throw new SysError("EFBIG", `too large: a file of media may have at most ${LIMITS.mediaBytesMax / MIB} MiB`);
      }
      if (more) return { id, received, media: null };
      try {
        const bytes = await wholeContent(uploads.content(caller, upload), id);
        return { id, received, media: await kept.keep(row, { id, bytes, generation }) };
      } finally {
        uploads.forget(caller, upload);
      }
    },

    async remove({ caller }, { pid, id }) {
      const found = await mediaOf(objects, await visibleProcess(kernel, caller, pid), id);
      if (found === null) throw noSuchMedia(pid, id);
      await objects.remove(found.key);
      return found.info;
    },
  };
}

export async function forgetMedia(
  objects: ObjectStore,
  { ownerUid, pid }: ProcessRow,
  kept: readonly string[] = [],
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page = await objects.page(mediaPrefix(ownerUid, pid), after, PAGE_ROWS);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key;
    for (const { key } of page) {
      if (kept.some((id) => key.includes(`/${id}.`))) continue;
      await objects.remove(key).catch((error: unknown) => {
        if (!(error instanceof SysError && error.code === "ENOENT")) throw error;
      });
    }
  }
}

interface Whole {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly generation: number;
}

async function stored(ports: MediaPorts, row: ProcessRow, { id, bytes, generation }: Whole): Promise<MediaInfo> {
  const { objects, kernel, clock } = ports;
  if (bytes.byteLength === 0) throw new SysError("EINVAL", "the file is empty");
  await mustFit(objects, row, bytes.byteLength);
  const owner = await kernel.accounts.byUid(row.ownerUid);
  if (owner === null) throw noSuchProcess(row.pid);
  const { type, extension } = mediaType(bytes);
  const own = { uid: owner.uid, gid: owner.gid, mtimeMs: clock.now(), symlink: null };
  const directory = {
    key: `var/media/${owner.uid}/.dir`,
    mode: 0o750,
    type: "application/x-directory",
    dirmarker: true,
  };
  if ((await objects.head(directory.key))?.mode !== directory.mode)
    await objects.put({ ...own, ...directory }, new Uint8Array());
  const key = `${mediaPrefix(row.ownerUid, row.pid)}${id}.${extension}`;
  const meta = await objects.put({ ...own, key, mode: 0o640, type, dirmarker: false }, bytes);
  const now = await generationOf(ports, row).catch(() => null);
  if (now === generation) return info(meta, id, row.pid);
  await objects.remove(key).catch(() => undefined);
  throw new SysError("EAGAIN", `upload cancelled: ${row.pid} was reset or killed`, ["send it again"]);
}

async function generationOf({ kernel, store, open }: MediaPorts, { pid }: ProcessRow): Promise<number> {
  const row = await kernel.processes.get(pid);
  if (row === null || row.phase === "killing") throw noSuchProcess(pid);
  await open(row);
  const { closing, generation } = await store.head(pid);
  if (closing !== null) throw new SysError("EAGAIN", `${pid} is being reset or killed`, ["try again"]);
  return generation;
}

async function mustFit(objects: ObjectStore, { ownerUid, pid }: ProcessRow, bytes: number): Promise<void> {
  const have = await objects.page(mediaPrefix(ownerUid, pid), null, LIMITS.mediaPerProcessMax);
  const sum = have.reduce((total, { size }) => total + size, bytes);
  const most = LIMITS.mediaPerProcessBytesMax;
  if (have.length < LIMITS.mediaPerProcessMax && sum <= most) return;
  throw new SysError(
    "ELIMIT",
    `media limit reached in ${pid}: ${LIMITS.mediaPerProcessMax} files or ${most / MIB} MiB`,
    [`remove one: gsv media rm ${pid} ID`],
  );
}

async function mediaOf(objects: Pick<ObjectStore, "page">, { ownerUid, pid }: ProcessRow, id: string) {
  const [meta] = await objects.page(`${mediaPrefix(ownerUid, pid)}${id}.`, null, 1);
  return meta === undefined ? null : { key: meta.key, info: info(meta, id, pid) };
}

export async function mediaRefs(
  objects: Pick<ObjectStore, "page">,
  row: ProcessRow,
  ids: readonly string[],
): Promise<readonly MediaRef[]> {
  if (ids.length > LIMITS.imagesPerRequestMax)
    throw new SysError("ELIMIT", `too many attachments: the limit is ${LIMITS.imagesPerRequestMax} per message`);
  const refs: MediaRef[] = [];
  for (const wanted of new Set(ids)) {
    const found = isUuid(wanted) ? await mediaOf(objects, row, wanted) : null;
    if (found === null) throw noSuchMedia(row.pid, wanted);
    const { id, type, bytes, path } = found.info;
    refs.push({ id, type, bytes, path });
  }
  return refs;
}

function infoOf(meta: ObjectMeta): MediaInfo[] {
  const named = mediaNamed(meta.key);
  const id = named?.name.split(".", 1)[0] ?? "";
  // Skip ordinary files in that directory.
  return named === null || !isUuid(id) ? [] : [info(meta, id, named.pid)];
}

function info({ key, type, size, sha256, mtimeMs }: ObjectMeta, id: string, pid: string): MediaInfo {
  return { id, pid, type, bytes: size, sha256, path: `/${key}`, at: mtimeMs };
}

function decoded(data: string): Uint8Array {
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) throw new SysError("EINVAL", "data must be base64");
  return bytes;
}

function noSuchMedia(pid: string, id: string): SysError {
  return new SysError("ENOENT", `no such media of ${pid}: ${id}`, [`to list media: gsv media list ${pid}`]);
}

/**
 * The newest images of a history, in base64 by id, within the limits of model servers. Deleted ones are skipped. The provider decides which
 * models support images.
 */
export async function imagesIn(
  objects: Pick<ObjectStore, "read">,
  { ownerUid, pid }: ProcessRow,
  messages: readonly Message[],
): Promise<ReadonlyMap<string, string>> {
  const images = new Map<string, string>();
  let bytes = 0;
  for (const { id, path, type, bytes: size } of messages.flatMap(mediaIn).reverse()) {
    const key = path.slice(1);
    if (!isSeen(type) || images.has(id) || size > LIMITS.imageBytesMax) continue;
    if (images.size >= LIMITS.imagesPerRequestMax || bytes + size > LIMITS.imagesPerRequestBytesMax) break;
    if (!key.startsWith(mediaPrefix(ownerUid, pid))) continue;
    const read = await objects.read(key, { offset: 0, bytesMax: size }).catch(() => null);
    // Deleted since; the message still names it.
    if (read === null) continue;
    bytes += size;
    images.set(id, Buffer.from(read).toString("base64"));
  }
  return images;
}

function mediaIn(message: Message): readonly MediaRef[] {
  if (message.role === "user") return message.media ?? [];
  return message.role === "toolResult" ? (message.content.media ?? []) : [];
}
