// The first member of a backup: name, size and checksum of the others. Valid names are kernel.db, proc/PID.db and objects/SHA256. No name in a
// backup is ever used as a path.

import type { BackupCounts } from "../abi/backup.ts";
import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { isPid } from "../abi/ids.ts";
import { isRepoPath, type RepoFile } from "./repos.ts";
import { type Entry, refused } from "./tar.ts";

export const MANIFEST = "manifest.json";
const FORMAT = "gsv-backup";
const VERSION = 1;

export interface Listed extends Entry {
  readonly sha256: string;
}

export interface Manifest {
  readonly gsv: string;
  readonly madeAt: number;
  readonly generation: number;
  readonly counts: BackupCounts;
  readonly faults: readonly string[];
  readonly members: readonly Listed[];
  /** Files of repositories. Their content is in members. */
  readonly repos: readonly Omit<RepoFile, "size">[];
}

export function writeManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, version: VERSION, ...manifest })}\n`);
}

export function readManifest(bytes: Uint8Array): Manifest {
  const manifest = parsed(bytes) as Partial<Manifest> & { format?: unknown; version?: unknown };
  if (manifest.format !== FORMAT) throw refused("it is not a backup of gsv");
  if (manifest.version !== VERSION)
    throw new SysError("ECONFIG", `not restored: a newer gsv (${String(manifest.gsv).slice(0, 40)}) made this backup`, [
      "restore it with that gsv",
    ]);
  const { gsv, madeAt, generation, counts, faults, members, repos = [] } = manifest;
  if (typeof gsv !== "string" || !isCount(madeAt) || !isCount(generation) || !isCounts(counts))
    throw refused("its manifest is damaged");
  if (!isTexts(faults) || !Array.isArray(members)) throw refused("its manifest is damaged");
  checkMembers(members);
  checkRepos(repos, members);
  return { gsv, madeAt, generation, counts, faults, members, repos };
}

function parsed(bytes: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch {} // reported below
  throw refused("its manifest is damaged");
}

function checkMembers(members: readonly Partial<Listed>[]): asserts members is readonly Listed[] {
  if (members.length > LIMITS.backupMembersMax) throw refused(`it has more than ${LIMITS.backupMembersMax} members`);
  const names = new Set<string>();
  let total = 0;
  for (const { name, size, sha256 } of members) {
    if (typeof name !== "string" || !isName(name)) throw refused(`it names ${JSON.stringify(name)?.slice(0, 80)}`);
    if (names.has(name)) throw refused(`it names ${name} twice`);
    if (!isCount(size) || typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))
      throw refused("its manifest is damaged");
    names.add(name);
    total += size;
  }
  if (!names.has("kernel.db")) throw refused("it has no kernel.db");
  if (total > LIMITS.backupBytesMax) throw refused(`it unpacks to more than ${LIMITS.backupBytesMax} bytes`);
}

function checkRepos(
  repos: readonly Partial<RepoFile>[],
  members: readonly Listed[],
): asserts repos is readonly RepoFile[] {
  if (!Array.isArray(repos) || repos.length > LIMITS.backupMembersMax) throw refused("its manifest is damaged");
  const held = new Set(members.map(({ name }) => name));
  const paths = new Set<string>();
  for (const { path, sha256, runs } of repos) {
    if (typeof path !== "string" || typeof runs !== "boolean" || !isRepoPath(path))
      throw refused(`it names ${JSON.stringify(path)?.slice(0, 80)}`);
    if (paths.has(path) || !held.has(`objects/${sha256}`)) throw refused(`${path.slice(0, 80)} is missing or twice`);
    paths.add(path);
  }
}

function isName(name: string): boolean {
  const pid = /^proc\/(.+)\.db$/.exec(name)?.[1];
  return name === "kernel.db" || /^objects\/[0-9a-f]{64}$/.test(name) || (pid !== undefined && isPid(pid));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCounts(value: unknown): value is BackupCounts {
  const { processes, messages, archives, files } = (value ?? {}) as Partial<BackupCounts>;
  return [processes, messages, archives, files].every(isCount);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
