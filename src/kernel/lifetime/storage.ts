// The service behind storage.*: counts, verifies, removes unused data, and moves all data to another driver. Everyone sees their own; the
// rest is root's. Bytes younger than an hour are never removed, because a write may still need them.

import { storedKey } from "../../abi/config/config-key.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { initPid } from "../../abi/ids.ts";
import type { Signal } from "../../abi/signal.ts";
import type { Clock } from "../../lib/clock.ts";
import { familyOf, mediaNamed } from "../../objects/keys.ts";
import { moveAll } from "../../objects/move.ts";
import type { Bytes, Driver, ObjectMeta, ObjectStore, StoredItem, StoredObjects } from "../../objects/objects.ts";
import { rebuild } from "../../objects/rebuild.ts";
import type { SwitchedObjects } from "../../objects/switched.ts";
import { type CurrentRows, faultOf, isAtRest, strays } from "../../objects/verify.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Collected, FamilySize, Storage, StorageFault } from "../../syscalls/system/storage.ts";

const PAGE_ROWS = 500;
const VERIFIED_OBJECTS_MAX = 200;
const VERIFIED_BYTES_MAX = 64 * 1024 * 1024;
const NAMES_MAX = 1000;
/** Identifies the home in a shared bucket. Not a visible setting. */
const HOME_ID = "config/storage/home";
const YOUNG_MS = 60 * 60 * 1000;
const PROGRESS_MS = 250;

export interface StoragePorts {
  readonly objects: SwitchedObjects;
  readonly known: CurrentRows;
  readonly kernel: Pick<KernelStore, "config" | "processes">;
  readonly clock: Clock;
  /** The driver that is not in use, as configured. */
  readonly other: (driver: Driver) => Promise<StoredObjects>;
  readonly newId: () => string;
  readonly emit: (signal: Signal) => void;
}

export function storageService(ports: StoragePorts): Storage {
  const { objects, known } = ports;
  let moving = false;
  return {
    async status(caller) {
      const families = new Map<string, FamilySize>();
      for await (const { key, size, dirmarker } of theirs(objects, caller)) {
        if (dirmarker) continue;
        const family = familyOf(key);
        const before = families.get(family) ?? { family, objects: 0, bytes: 0 };
        families.set(family, { family, objects: before.objects + 1, bytes: before.bytes + size });
      }
      const rows = [...families.values()].sort((a, b) => b.bytes - a.bytes);
      const { driver, place } = objects.bytes;
      return { driver, place, ...sumOf(rows), families: rows };
    },

    async verify(caller, { after }, signal) {
      const page = { checked: 0, bytes: 0, faults: [] as StorageFault[] };
      for await (const meta of theirs(objects, caller, after)) {
        if (signal.aborted) throw new SysError("ECANCELED", "verification was cancelled");
        const fault = await faultOf(objects.bytes, known, meta);
        if (fault !== null) page.faults.push({ path: `/${meta.key}`, fault });
        page.checked++;
        page.bytes += meta.size;
        if (page.checked === VERIFIED_OBJECTS_MAX || page.bytes > VERIFIED_BYTES_MAX)
          return { ...page, next: meta.key };
      }
      return { ...page, next: null };
    },

    async gc(_context, { dryRun, left }) {
      if (moving) throw underWay();
      const sum = { dryRun, count: 0, bytes: 0, collected: [] as Collected[] };
      for await (const { take, ...collected } of candidates(ports, left)) {
        if (!dryRun && !(await take())) continue;
        sum.count++;
        sum.bytes += collected.bytes;
        if (sum.collected.length < NAMES_MAX) sum.collected.push(collected);
      }
      return sum;
    },

    async rebuild(_context, { dryRun }) {
      if (moving) throw underWay();
      const from = objects.bytes.driver === "s3" ? objects.bytes : (await ports.other("s3")).bytes;
      await from.probe();
      const { unread, ...sum } = await rebuild({ from, to: objects, dryRun });
      return { dryRun, from: from.place, ...sum, failed: unread.length, unread: unread.slice(0, NAMES_MAX) };
    },

    async migrate({ caller }, { to: driver }) {
      if (objects.bytes.driver === driver)
        throw new SysError("EINVAL", `the data is already in ${objects.bytes.place}`, ["gsv storage status"]);
      if (moving) throw underWay();
      moving = true;
      try {
        return await migrate(ports, driver, caller);
      } finally {
        moving = false;
      }
    },
  };
}

function underWay(): SysError {
  return new SysError("EAGAIN", "a move is in progress", ["see gsv storage status"]);
}

async function migrate(ports: StoragePorts, driver: Driver, caller: Caller) {
  const { objects, kernel, clock, other } = ports;
  const next = await other(driver);
  const [from, to] = [objects.bytes, next.bytes];
  await to.probe();
  await to.claim(await homeId(ports, caller));
  const done = new Map<string, string>();
  const rows = { get: (key: string) => objects.head(key), page: objects.page.bind(objects) };
  await clear(to, ports);
  const progress = await progressOf(ports, caller);
  const first = await moveAll({ from, to, rows, done, onMoved: progress.moved });
  progress.end();
  let last = first;
  // Copies what changed during the first round, while writes are blocked.
  await objects.switch(async () => {
    await clear(to, ports);
    last = await moveAll({ from, to, rows, done });
    const value = driver === "disk" ? null : driver;
    await kernel.config.change([{ key: storedKey("storage.driver", "system"), value }], {
      uid: caller.uid,
      now: clock.now(),
    });
    return next;
  });
  return {
    ...{ from: from.place, to: to.place, driver, objects: done.size },
    ...{ found: first.found + last.found, bytes: first.bytes + last.bytes },
  };
}

/** Counts the first round, which has nearly all files, and emits the counts at its start, at most every 250 ms, and at its end. */
async function progressOf({ objects, clock, emit }: StoragePorts, { uid }: Caller) {
  const now = { files: 0, filesTotal: 0, bytes: 0, bytesTotal: 0 };
  for await (const { dirmarker, size } of all(objects)) {
    if (dirmarker) continue;
    now.filesTotal++;
    now.bytesTotal += size;
  }
  let emittedAt = Number.NEGATIVE_INFINITY;
  const send = () => {
    emittedAt = clock.mono();
    // Files written during the move count as well.
    now.filesTotal = Math.max(now.files, now.filesTotal);
    now.bytesTotal = Math.max(now.bytes, now.bytesTotal);
    emit({ name: "storage.progress", pid: initPid(uid), uid, parent: null, at: clock.now(), ...now });
  };
  send();
  return {
    moved({ dirmarker, size }: ObjectMeta) {
      if (dirmarker) return;
      now.files++;
      now.bytes += size;
      if (clock.mono() - emittedAt >= PROGRESS_MS) send();
    },
    end: send,
  };
}

/** Deletes unknown files on disk: leftovers would block new files of the same name. Nobody else writes there now. */
async function clear(to: Bytes, { known }: StoragePorts): Promise<void> {
  if (to.driver !== "disk") return;
  for await (const item of strays(to, known)) if (item.kind === "bytes") await to.discard(item);
}

/** Created when first needed; not part of copies of the home. */
async function homeId({ kernel, clock, newId }: StoragePorts, { uid }: Caller): Promise<string> {
  const there = (await kernel.config.under(HOME_ID)).find(({ key }) => key === HOME_ID);
  if (there !== undefined) return there.value;
  const value = newId();
  await kernel.config.change([{ key: HOME_ID, value }], { uid, now: clock.now() });
  return value;
}

type Candidate = Collected & { readonly take: () => Promise<boolean> };

/** Data that may be deleted; each is checked again before deletion. */
async function* candidates(ports: StoragePorts, left: boolean): AsyncGenerator<Candidate> {
  const { objects, known, clock, other } = ports;
  const before = clock.now() - YOUNG_MS;
  yield* ofObjects(ports, before);
  for await (const item of strays(objects.bytes, known)) {
    if (item.mtimeMs < before) yield { ...strayed(item), take: () => objects.discard(item, before) };
  }
  if (!left) return;
  const { bytes } = await other(objects.bytes.driver === "disk" ? "s3" : "disk");
  for await (const item of bytes.list()) {
    if (item.mtimeMs >= before || item.kind === "temporary") continue;
    yield { what: "left by a move", name: item.name, bytes: item.size, take: () => discarded(bytes, item) };
  }
}

/** Media of ended processes, and rows without bytes. */
async function* ofObjects({ objects, known, kernel }: StoragePorts, before: number): AsyncGenerator<Candidate> {
  for await (const { key, size: bytes, sha256, mtimeMs } of all(objects)) {
    if (mtimeMs >= before) continue;
    const media = mediaNamed(key);
    const take = () => removed(objects, key);
    const isEmptied = async () =>
      !(await objects.bytes.has({ key, sha256 })) && (await isAtRest(known, { key, sha256 }));
    if (media !== null && (await kernel.processes.get(media.pid)) === null)
      yield { what: "media of a process that is gone", name: `/${key}`, bytes, take };
    else if (await isEmptied())
      yield { what: "file without bytes", name: `/${key}`, bytes: 0, take: async () => (await isEmptied()) && take() };
  }
}

function strayed({ name, kind, size }: StoredItem): Collected {
  return { what: kind === "temporary" ? "half-written" : "bytes of no file", name, bytes: size };
}

async function discarded(bytes: Bytes, item: StoredItem): Promise<boolean> {
  await bytes.discard(item);
  return true;
}

async function removed(objects: ObjectStore, key: string): Promise<boolean> {
  try {
    await objects.remove(key);
    return true;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return false;
    throw error;
  }
}

async function* theirs(objects: ObjectStore, caller: Caller, after?: string): AsyncGenerator<ObjectMeta> {
  const everything = isRoot(caller);
  for await (const meta of all(objects, after)) {
    if (everything || meta.uid === caller.uid || meta.uid === caller.ownerUid) yield meta;
  }
}

async function* all(objects: ObjectStore, from: string | null = null): AsyncGenerator<ObjectMeta> {
  for (let after = from; ; ) {
    const page: readonly ObjectMeta[] = await objects.page("", after, PAGE_ROWS);
    yield* page;
    after = page.at(-1)?.key ?? null;
    if (after === null) return;
    // Yields to other work between pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function sumOf(rows: readonly FamilySize[]): { readonly objects: number; readonly bytes: number } {
  return {
    objects: rows.reduce((sum, row) => sum + row.objects, 0),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}
