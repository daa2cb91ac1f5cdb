// Backups in tests: the backup ports of a home, a file to write to, hostile files made by hand, and the content of a directory.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { HomeKeeping } from "../../src/abi/backup.ts";
import { MANIFEST } from "../../src/backup/manifest.ts";
import { END, header, padding } from "../../src/backup/tar.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homeKeeping } from "../../src/machine/backups.ts";
import { homePaths } from "../../src/paths.ts";
import { seeded } from "./random.ts";

let count = 0;

export function keepingOf(directory: string, clock: Clock = realClock): HomeKeeping {
  const machine = { paths: homePaths(directory), uid: process.getuid?.() ?? 0, cwd: "/", clock };
  return homeKeeping({ ...machine, random: seeded(++count).bytes });
}

export interface Part {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Changes a correct header; the checksum is computed again. */
  readonly spoil?: (block: Buffer) => void;
}

export function tarOf(parts: readonly Part[], end: Uint8Array = END): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, bytes, spoil }) => {
      const block = Buffer.from(header({ name: name.slice(0, 99), size: bytes.length }, 0));
      spoil?.(block);
      if (spoil !== undefined) sign(block);
      return [block, bytes, padding(bytes.length)];
    }),
    end,
  ]);
}

function sign(block: Buffer): void {
  block.write("        ", 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
}

/** The members of a backup, the manifest first. */
export function partsOf(file: string): Part[] {
  const all = readFileSync(file);
  const parts: Part[] = [];
  for (let at = 0; all[at] !== 0; ) {
    const name = all.toString("utf8", at, all.indexOf(0, at));
    const size = Number.parseInt(all.toString("latin1", at + 124, at + 135), 8);
    parts.push({ name, bytes: all.subarray(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return parts;
}

interface Manifest {
  [key: string]: unknown;
  members: { name: string; size: number; sha256: string }[];
}

export function withManifest(parts: readonly Part[], change: (manifest: Manifest) => void): Part[] {
  const [first, ...rest] = parts;
  const manifest = JSON.parse(Buffer.from(first?.bytes ?? []).toString()) as Manifest;
  change(manifest);
  return [{ name: MANIFEST, bytes: Buffer.from(JSON.stringify(manifest)) }, ...rest];
}

/** Parts with a manifest that lists them. */
export function consistent(parts: readonly Part[]): Part[] {
  const members = parts.slice(1).map(({ name, bytes }) => ({
    name,
    size: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  }));
  return withManifest(parts, (manifest) => {
    manifest.members = members;
  });
}

/** Every file below a directory, with its size. */
export function treeOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${relative(directory, path)} ${statSync(path).size}`)
    .sort();
}
