// Unpacks a backup into a work directory and checks it completely before the home is touched: each member is in the manifest once, with its
// size and checksum; each database is sound and has a known schema; each file name is valid. Checks the free space first.

import { closeSync, createReadStream, mkdirSync, openSync, readSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { syncDirectory } from "../lib/directories.ts";
import { hostError, writeDurably } from "../objects/host.ts";
import { reconcile } from "../store/reconcile.ts";
import { MANIFEST, type Manifest, readManifest } from "./manifest.ts";
import { placeBytes } from "./objects.ts";
import { placeRepos } from "./repos.ts";
import { type Member, members, refused } from "./tar.ts";

/** Returns the manifest. `into` then contains kernel.db, proc, objects and repos like a home. */
export async function unpack(file: string, into: string): Promise<Pick<Manifest, "madeAt" | "counts" | "faults">> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new SysError("ENOENT", `no such file: ${file}`);
  if (!stats.isFile()) throw new SysError("EINVAL", `${file} is not a file`);
  for (const name of ["proc", "bytes", "objects", "repos"]) mkdirSync(join(into, name), { mode: 0o700 });
  try {
    const manifest = await takeMembers(unzipped(file), into);
    const { objects, pids, counts } = reconcile({ kernelDb: join(into, "kernel.db"), procDir: join(into, "proc") });
    const stranger = manifest.members.find(({ name }) => /^proc\//.test(name) && !pids.includes(name.slice(5, -3)));
    if (stranger !== undefined) throw refused(`${stranger.name} belongs to no process`);
    await placeBytes(objects, join(into, "bytes"), join(into, "objects"));
    await placeRepos(manifest.repos, join(into, "bytes"), join(into, "repos"));
    for (const directory of [join(into, "proc"), into]) await syncDirectory(directory);
    return { madeAt: manifest.madeAt, faults: manifest.faults, counts };
  } catch (error) {
    throw hostError(worded(error, into), `cannot restore ${file}`);
  }
}

async function takeMembers(bytes: AsyncIterable<Uint8Array>, into: string): Promise<Manifest> {
  let manifest: Manifest | null = null;
  const expected = new Map<string, Manifest["members"][number]>();
  for await (const member of members(bytes)) {
    if (manifest === null) {
      manifest = readManifest(await firstOf(member));
      checkRoom(manifest, into);
      for (const listed of manifest.members) expected.set(listed.name, listed);
      continue;
    }
    const listed = expected.get(member.name);
    if (listed === undefined || listed.size !== member.size)
      throw refused(`${JSON.stringify(member.name).slice(0, 80)} is not in its manifest, or twice, or of another size`);
    expected.delete(member.name);
    const path = join(into, member.name.replace(/^objects\//, "bytes/"));
    const { sha256 } = await writeDurably(path, member.bytes);
    if (sha256 !== listed.sha256) throw refused(`the checksum of ${member.name} is not the one recorded`);
  }
  if (manifest === null) throw refused("it is empty");
  const [lost] = expected.keys();
  if (lost !== undefined) throw refused(`${lost} is missing`);
  return manifest;
}

async function firstOf(member: Member): Promise<Uint8Array> {
  if (member.name !== MANIFEST) throw refused("it is not a backup of gsv");
  if (member.size > LIMITS.backupManifestBytesMax) throw refused("its manifest is too long");
  const pieces: Uint8Array[] = [];
  for await (const piece of member.bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

function checkRoom({ members: list }: Manifest, into: string): void {
  const needs = list.reduce((sum, { size }) => sum + size, LIMITS.diskReserveBytes);
  const { bavail, bsize } = statfsSync(into);
  if (needs > bavail * bsize)
    throw new SysError("ENOSPC", `not restored: it needs ${needs} bytes of disk space, ${bavail * bsize} are free`);
}

async function* unzipped(file: string): AsyncIterable<Uint8Array> {
  const source = createReadStream(file);
  if (!isZipped(file)) return yield* source as AsyncIterable<Uint8Array>;
  const { createGunzip } = await import("node:zlib");
  const gunzip = createGunzip();
  source.on("error", (error) => gunzip.destroy(error));
  // The iteration reports the error. Without a listener it would end the process.
  gunzip.on("error", () => {});
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

function isZipped(file: string): boolean {
  const start = new Uint8Array(2);
  const descriptor = openSync(file, "r");
  try {
    return readSync(descriptor, start) === 2 && start[0] === 0x1f && start[1] === 0x8b;
  } finally {
    closeSync(descriptor);
  }
}

/** Errors of gzip and SQLite mean a damaged backup. */
function worded(error: unknown, into: string): unknown {
  if (error instanceof SysError && error.code !== "EIO") return error;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (code.startsWith("Z_") || code === "EIO" || code.startsWith("SQLITE_")))
    return refused((error as Error).message.replaceAll(`${into}/`, "").replaceAll(/\s*\n\s*/g, " "));
  return error instanceof SyntaxError ? refused("a process in it is damaged") : error;
}
