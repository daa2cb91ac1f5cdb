// The files a shell script reaches: with the rights of whoever runs it. In a script that no person has approved, an agent can neither
// delete anything outside /tmp nor change its own instructions (context, skills …): the tools for that ask a person first.

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
  /** Whether a change there asks a person first, when an agent makes it. */
  readonly isGuarded: (path: string) => boolean;
  /** A person has seen the whole script and allowed it, or runs it. */
  readonly approved: boolean;
  /** A rule or the mode lets it delete; what is guarded stays so. */
  readonly lifted?: boolean;
}

const CAPABILITY: { readonly [V in FileVerb]: string } = {
  stat: "fs.read",
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

export function shellFiles({ namespace, caller, isGuarded, approved, lifted = false }: ShellFilesOptions): ShellFiles {
  const allowed = (verb: FileVerb, path: string) => {
    if (!mayUse(caller, CAPABILITY[verb])) throw new FileError("EPERM", path);
  };
  const refuse = (path: string, what: string) => {
    throw new SysError("EBLOCKED", `${path}: ${what} needs a person's approval: use the tool for it`);
  };

  /** Before a change: where it really leads is what counts. */
  async function changing(verb: FileVerb, path: string): Promise<void> {
    allowed(verb, path);
    if (caller.looksOnly && !isInside(await namespace.locate(caller, path), "/tmp"))
      throw new SysError("EPERM", `${path}: ${caller.pid} is in mode plan and changes nothing outside of /tmp`);
    // What it would become is shown by the tool Write; a yes to a script is none to that.
    if (caller.kind !== "person" && isInside(await namespace.locate(caller, path), "/sys")) refuse(path, "changing it");
    if (!approved && isGuarded(await namespace.locate(caller, path))) refuse(path, "changing it");
  }

  async function deleting(verb: FileVerb, path: string): Promise<void> {
    await changing(verb, path);
    if (!approved && !lifted && !isInside(await namespace.locate(caller, path), "/tmp")) refuse(path, "deleting it");
  }

  return {
    async stat(path, links) {
      allowed("stat", path);
      if (links === "follow") {
        const { stat, path: place } = await namespace.found(caller, path);
        return shellStat(stat, place);
      }
      return shellStat(await namespace.lstat(caller, path), path);
    },
    async list(path) {
      allowed("list", path);
      return (await namespace.list(caller, path)).map(({ name, stat }) => ({ name, stat: bareStat(stat) }));
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
      // What stands at the other name is gone afterwards, and be it a link that leads nowhere.
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
      return namespace.resolve(caller, path);
    },
  };
}

function shellStat(stat: Stat, place: string): ShellStat {
  return { ...bareStat(stat), place };
}

function bareStat({ kind, mode, uid, gid, size, mtimeMs, target }: Stat): Omit<ShellStat, "place"> {
  return { kind, mode, uid, gid, size, mtimeMs, ...(target === undefined ? {} : { target }) };
}
