// Makes a backup: copies databases and content into a work directory, checks them, and writes one file, which is renamed into place when it is
// complete. Running processes continue. A backup never contains secrets, files of the kernel, logs or quarantine.

import { createReadStream, existsSync, mkdirSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BackupMade } from "../abi/backup.ts";
import { SysError } from "../abi/errno.ts";
import { syncDirectory } from "../lib/directories.ts";
import { hostError, sha256Of, writeDurably } from "../objects/host.ts";
import { concerns } from "../objects/verify.ts";
import { DatabaseCopies } from "../store/copy.ts";
import { completeChanges, type Reconciled, reconcile } from "../store/reconcile.ts";
import { type Listed, MANIFEST, type Manifest, writeManifest } from "./manifest.ts";
import { type Take, takeBytes } from "./objects.ts";
import { type RepoFile, repoFaults, takeRepos } from "./repos.ts";
import { END, header, padding } from "./tar.ts";

export interface BackupOptions {
  readonly kernelDb: string;
  readonly procDir: string;
  /** Called each time, because the storage may be migrated meanwhile. */
  readonly taker: () => Promise<Take>;
  readonly reposDir: string;
  /** An empty directory on the disk of the home. */
  readonly staging: string;
  /** Absolute. */
  readonly file: string;
  readonly force: boolean;
  readonly gsv: string;
  readonly now: number;
}

/** Attempts for files that keep changing. */
const ROUNDS_MAX = 20;

export async function makeBackup(options: BackupOptions): Promise<BackupMade> {
  checkTarget(options);
  const { agreed, have, faults: lost } = await stage(options);
  const repos = await takeRepos(options.reposDir, join(options.staging, "objects"), have);
  const faults = [...lost, ...repoFaults(options.reposDir)];
  const partial = `${options.file}.partial`;
  try {
    await rm(partial, { force: true });
    const manifest: Manifest = {
      gsv: options.gsv,
      madeAt: options.now,
      generation: agreed.generation,
      counts: agreed.counts,
      faults,
      members: await listed(options.staging, agreed, repos),
      repos: repos.map(({ path, sha256, runs }) => ({ path, sha256, runs })),
    };
    const { size } = await writeDurably(partial, zippedIf(/\.t?gz$/.test(options.file), tar(options, manifest)));
    checkTarget(options);
    await rename(partial, options.file);
    await syncDirectory(dirname(options.file));
    return { file: options.file, bytes: size, generation: agreed.generation, counts: agreed.counts, faults };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw hostError(error, `cannot write ${options.file}`);
  }
}

function checkTarget({ file, force, kernelDb }: BackupOptions): void {
  if (!existsSync(kernelDb)) throw new SysError("ENOENT", "nothing to back up: this home is empty");
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) throw new SysError("EEXIST", `${file} exists and is not a file`);
  if (there !== undefined && !force)
    throw new SysError("EEXIST", `${file} exists`, ["choose another name, or replace it with --force"]);
  if (!existsSync(dirname(file))) throw new SysError("ENOENT", `no such directory: ${dirname(file)}`);
}

async function stage({ staging, kernelDb, procDir, taker }: BackupOptions) {
  const to = { kernelDb: join(staging, "kernel.db"), procDir: join(staging, "proc") };
  const into = join(staging, "objects");
  mkdirSync(to.procDir, { mode: 0o700 });
  mkdirSync(into, { mode: 0o700 });
  const copies = new DatabaseCopies({ kernelDb, procDir }, to);
  try {
    const have = new Set<string>();
    let lostBefore = "";
    for (let round = 0; round < ROUNDS_MAX; round++) {
      copies.take();
      const bytes = { take: await taker(), into, have };
      let agreed = reconcile(to);
      let lost = await takeBytes(agreed.objects, bytes);
      // A kernel is changing the object, or died doing it: the content is the old or the new one.
      const halfWay = agreed.changes.filter((change) => lost.some((key) => concerns(change, key)));
      if (halfWay.length > 0) {
        agreed = completeChanges(to.kernelDb, agreed, halfWay);
        lost = await takeBytes(agreed.objects, bytes);
      }
      // The same rows lack their content again: it is lost.
      const lostNow = JSON.stringify([agreed.objects.filter(({ key }) => lost.includes(key)), halfWay]);
      if (lost.length === 0 || lostNow === lostBefore) return { agreed, have, faults: faultsOf(copies, agreed, lost) };
      lostBefore = lostNow;
      // Keep the present content of an object that keeps changing, so that the next copy of its row finds it.
      await takeBytes(copies.rowsNow(lost), bytes);
    }
    throw new SysError("EAGAIN", "not backed up: files change faster than gsv can copy them", ["try again"]);
  } finally {
    copies.close();
  }
}

function faultsOf(copies: DatabaseCopies, { missing }: Reconciled, lost: readonly string[]): string[] {
  const named = new Set(copies.faults.map((fault) => fault.split(": ")[0]));
  return [
    ...copies.faults,
    ...missing.filter((pid) => !named.has(pid)).map((pid) => `${pid}: its database is missing`),
    ...lost.map((key) => `/${key}: its bytes are missing or damaged`),
  ];
}

// The copies are closed and private, so reading them as files drops no locks.
async function listed(staging: string, { objects }: Reconciled, repos: readonly RepoFile[]): Promise<Listed[]> {
  const names = ["kernel.db", ...new Bun.Glob("proc/*.db").scanSync({ cwd: staging })];
  const members: Listed[] = [];
  for (const name of names.sort()) {
    const path = join(staging, name);
    const sha256 = await sha256Of(path);
    if (sha256 !== null) members.push({ name, size: statSync(path).size, sha256 });
  }
  const seen = new Set<string>();
  for (const { sha256 } of [...objects, ...repos]) {
    const size = statSync(join(staging, "objects", sha256), { throwIfNoEntry: false })?.size;
    if (size !== undefined && !seen.has(sha256)) members.push({ name: `objects/${sha256}`, size, sha256 });
    seen.add(sha256);
  }
  return members;
}

async function* tar({ staging, now }: BackupOptions, manifest: Manifest): AsyncIterable<Uint8Array> {
  const first = writeManifest(manifest);
  yield header({ name: MANIFEST, size: first.length }, now);
  yield first;
  yield padding(first.length);
  for (const { name, size } of manifest.members) {
    yield header({ name, size }, now);
    if (size > 0) yield* createReadStream(join(staging, name)) as AsyncIterable<Uint8Array>;
    yield padding(size);
  }
  yield END;
}

async function* zippedIf(zip: boolean, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (!zip) return yield* bytes;
  const [{ Readable }, { createGzip }] = await Promise.all([import("node:stream"), import("node:zlib")]);
  const source = Readable.from(bytes);
  const gzip = createGzip();
  source.on("error", (error) => gzip.destroy(error));
  yield* source.pipe(gzip) as AsyncIterable<Uint8Array>;
}
