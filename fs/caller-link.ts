// A filesystem with one link that each caller sees with a target of their own.

import type { Caller } from "../src/abi/identity.ts";
import type { Entry, FileSystem, Stat } from "./filesystem.ts";

export interface CallerLink {
  readonly directory: string;
  readonly name: string;
  /** null: the caller sees no such link. */
  readonly targetFor: (caller: Caller) => Promise<string | null>;
}

/** The link stands only where nothing else does. */
export function withCallerLink(fs: FileSystem, { directory, name, targetFor }: CallerLink): FileSystem {
  const path = `${directory}/${name}`;
  const linkFor = async (caller: Caller): Promise<Stat | null> => {
    const target = await targetFor(caller);
    if (target === null || target === name) return null;
    const about = { uid: 0, gid: 0, mode: 0o777, size: target.length, mtimeMs: 0, version: target };
    return { kind: "symlink", ...about, target };
  };
  return {
    read: (...args) => fs.read(...args),
    write: (...args) => fs.write(...args),
    remove: (...args) => fs.remove(...args),
    rename: (...args) => fs.rename(...args),
    mkdir: (...args) => fs.mkdir(...args),
    link: (...args) => fs.link(...args),
    setattr: (...args) => fs.setattr(...args),
    async stat(caller, at) {
      const link = at === path ? await linkFor(caller) : null;
      return link ?? (await fs.stat(caller, at));
    },
    async list(caller, at) {
      const entries = await fs.list(caller, at);
      const link = at === directory ? await linkFor(caller) : null;
      const own: readonly Entry[] = link === null ? [] : [{ name, stat: link }];
      return [...own, ...entries.filter((entry) => own.length === 0 || entry.name !== name)];
    },
  };
}
