// File access of a shell script, with the rights of its caller. An unapproved script of an agent cannot delete outside /tmp nor change instruction
// files (context, skills …): the file tools ask for approval.

import { FileError } from "../../../fs/error.ts";
import type { Stat } from "../../../fs/filesystem.ts";
import type { Namespace } from "../../../fs/namespace.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, mayUse } from "../../abi/identity.ts";
import { isInside } from "../../lib/inside.ts";
import type { FileVerb, ShellFiles, ShellStat } from "../../targets/shell.ts";
import { stands } from "../files/file-tree.ts";

export interface ShellFilesOptions {
  readonly namespace: Namespace;
  readonly caller: Caller;
  /** True if changes by agents need approval there. */
  readonly isGuarded: (path: string) => boolean;
  /** A person approved the whole script, or runs it. */
  readonly approved: boolean;
  /** A rule or the mode allows deletions, except of guarded files. */
  readonly allowedByRuleOrMode?: boolean;
}

const CAPABILITY: { readonly [V in FileVerb]: string } = {
  stat: "fs.read",
  standing: "fs.read",
  list: "fs.read",
  read: "fs.read",
  resolve: "fs.read",
  write: "fs.write",
  mkdir: "fs.write",
  link: "fs.write",
  setattr: "fs.write",
  rename: "fs.write",
  remove: "fs.delete",
};

export function shellFiles({
  namespace,
  caller,
  isGuarded,
  approved,
  allowedByRuleOrMode = false,
}: ShellFilesOptions): ShellFiles {
  const allowed = (verb: FileVerb, path: string) => {
    if (!mayUse(caller, CAPABILITY[verb])) throw new FileError("EPERM", path);
  };
  const refuse = (path: string, what: string) => {
    throw new SysError("EBLOCKED", `${path}: ${what} needs the user's approval: use the tool Write, Edit or Delete`);
  };

  /** Checks before a change, on the real path. */
  async function changing(verb: FileVerb, path: string): Promise<void> {
    allowed(verb, path);
    if (caller.looksOnly && !isInside(await namespace.locate(caller, path), "/tmp"))
      throw new SysError("EPERM", `${path}: only /tmp can be changed in mode plan`);
    // Settings need an approval of their own, which shows the new value.
    if (caller.kind !== "person" && isInside(await namespace.locate(caller, path), "/sys")) refuse(path, "a change");
    if (!approved && isGuarded(await namespace.locate(caller, path))) refuse(path, "a change");
  }

  async function deleting(verb: FileVerb, path: string): Promise<void> {
    await changing(verb, path);
    if (!approved && !allowedByRuleOrMode && !isInside(await namespace.locate(caller, path), "/tmp"))
      refuse(path, "deletion");
  }

  async function statOf(path: string, links: "follow" | "keep"): Promise<ShellStat> {
    allowed("stat", path);
    if (links !== "follow") return shellStat(await namespace.lstat(caller, path), path);
    const { stat, path: place } = await namespace.found(caller, path);
    return shellStat(stat, place);
  }

  return {
    stat: statOf,
    async standing(path) {
      allowed("standing", path);
      const { stat, path: place, writable } = await namespace.standing(caller, path);
      const mayChange = writable && (await changing("write", path).then(yes, no));
      return { stat: stat === null ? null : shellStat(stat, place), writable: mayChange };
    },
    async list(path) {
      allowed("list", path);
      const entries = await namespace.list(caller, path);
      return entries.map(({ name, stat }) => ({ name, stat: bareStat(stat) }));
    },
    async read(path, offset, bytesMax) {
      allowed("read", path);
      const { bytes, eof } = await namespace.read(caller, path, { offset, bytesMax });
      return { bytes, eof };
    },
    async write(path, bytes, at) {
      await changing("write", path);
      await namespace.write(caller, path, bytes, { at });
    },
    async remove(path, recursive) {
      await deleting("remove", path);
      await namespace.remove(caller, path, { recursive });
    },
    async rename(from, to) {
      await changing("rename", from);
      // The target is replaced, even if it is a broken link.
      if (await stands(() => namespace.lstat(caller, to))) await deleting("rename", to);
      else await changing("rename", to);
      await namespace.rename(caller, from, to);
    },
    async mkdir(path, parents) {
      await changing("mkdir", path);
      await namespace.mkdir(caller, path, { parents });
    },
    async link(path, target) {
      await changing("link", path);
      await namespace.link(caller, path, target);
    },
    async setattr(path, attributes) {
      await changing("setattr", path);
      await namespace.setattr(caller, path, attributes);
    },
    async resolve(path) {
      allowed("resolve", path);
      return namespace.shown(caller, await namespace.resolve(caller, path));
    },
  };
}

const yes = () => true;
const no = () => false;
function shellStat(stat: Stat, place: string): ShellStat {
  return { ...bareStat(stat), place };
}

function bareStat({ kind, mode, uid, gid, size, mtimeMs, target }: Stat): Omit<ShellStat, "place"> {
  return { kind, mode, uid, gid, size, mtimeMs, ...(target === undefined ? {} : { target }) };
}
