// The file of saved remotes, `~/.config/gsv/remotes`: addresses, accounts, certificates and tokens. It is private, and refused if others can
// read it. Written at once and whole, so that a crash leaves the old one.

import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { errnoText, SysError } from "../../abi/errno.ts";
import type { SavedRemote, SavedRemotes } from "../../abi/remote.ts";
import { readPlainFile } from "../../lib/plain-file.ts";
import { quoted } from "../../lib/text/quote.ts";
import { makeDirectory, modeOf } from "../../paths.ts";

interface Kept {
  readonly used: string | null;
  readonly remotes: readonly SavedRemote[];
}

const NONE: Kept = { used: null, remotes: [] };

export function savedRemotes(file: string): SavedRemotes {
  const change = (made: (kept: Kept) => Kept) => write(file, made(read(file)));
  return {
    list: () => read(file).remotes,
    used: () => read(file).used,
    save: (remote) =>
      change(({ used, remotes }) => ({
        used,
        remotes: [...remotes.filter(({ name }) => name !== remote.name), remote].toSorted(byName),
      })),
    remove: (name) =>
      change(({ used, remotes }) => ({
        used: used === name ? null : used,
        remotes: remotes.filter((each) => each.name !== name),
      })),
    select: (name) => change(({ remotes }) => ({ used: name, remotes })),
  };
}

function byName(left: SavedRemote, right: SavedRemote): number {
  return left.name < right.name ? -1 : 1;
}

function read(file: string): Kept {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return NONE;
  // The file has tokens.
  if (stats.isFile() && (stats.mode & 0o077) !== 0)
    throw unusable(file, `other users can read it (mode ${modeOf(stats)})`, `chmod 600 ${quoted(file)}`);
  let value: unknown;
  try {
    value = JSON.parse(readPlainFile(file));
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is not JSON" : `cannot read it: ${errnoText(error)}`;
    throw unusable(file, why, `rm ${quoted(file)}`);
  }
  const { used, remotes } = Object(value) as { used?: unknown; remotes?: unknown };
  if (!Array.isArray(remotes) || !remotes.every(isRemote))
    throw unusable(file, "it is not a list of remotes", `rm ${quoted(file)}`);
  return { used: typeof used === "string" ? used : null, remotes };
}

function isRemote(value: unknown): value is SavedRemote {
  const { name, url, token, account } = Object(value) as Partial<SavedRemote>;
  return [name, url, token, account].every((text) => typeof text === "string");
}

function write(file: string, kept: Kept): void {
  makeDirectory(dirname(file));
  try {
    rmSync(`${file}.new`, { force: true });
    const next = openSync(`${file}.new`, "wx", 0o600);
    try {
      writeSync(next, `${JSON.stringify(kept, null, 2)}\n`);
      fsyncSync(next);
    } finally {
      closeSync(next);
    }
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw unusable(file, `cannot write it: ${errnoText(error)}`, `ls -ld ${quoted(dirname(file))}`);
  }
}

function unusable(file: string, why: string, fix: string): SysError {
  return new SysError("ECONFIG", `cannot use ${file}: ${why}`, [fix]);
}
