// Another name of a mounted directory: the real path of an attached directory leads to its mount. A walk replaces the longest such name by the
// mount point, so that all rules see one path for one file. `..` at the top of such a directory leads to the parent of its real path in gsv's
// own tree, never to a directory of the host that is not attached. Parents that gsv does not have show only the way to the alias.

import type { Caller } from "../src/abi/identity.ts";
import { parent, split } from "./path.ts";
import { pathOf, SLASH } from "./steps.ts";

export interface Alias {
  /** The other name. */
  readonly path: string;
  /** The mounted directory. */
  readonly at: string;
}

export interface Aliases {
  /** The longest alias that is the path or a parent of it; null if the caller sees none. */
  around(caller: Caller, path: string): Promise<Alias | null>;
  /** The alias of the mounted directory that holds the path. */
  ofMounted(caller: Caller, path: string): Promise<Alias | null>;
  /** The next names on the ways from a directory to aliases. */
  below(caller: Caller, path: string): Promise<readonly string[]>;
}

export const NO_ALIASES: Aliases = {
  around: async () => null,
  ofMounted: async () => null,
  below: async () => [],
};

export class AliasWalk {
  private entered: Alias | null = null;
  /** The names ahead have changed since the last look. */
  private isDue = true;

  constructor(private readonly aliasOf: (path: string) => Promise<Alias | null>) {}

  /** To be called after `..` or a symlink: the walk goes on elsewhere. */
  turns(): void {
    this.isDue = true;
  }

  /** True if an alias begins here: `todo` now holds the path of its mount, from `/`. */
  async enters(here: readonly string[], todo: string[]): Promise<boolean> {
    if (!this.isDue) return false;
    this.isDue = false;
    const end = todo.findIndex((name) => name === ".." || name === SLASH);
    const names = end === -1 ? todo : todo.slice(0, end);
    const path = pathOf([...here, ...names.filter((name) => name !== ".")]);
    const alias = path === "/" ? null : await this.aliasOf(path);
    if (alias === null) return false;
    let missing = split(alias.path).length - here.length;
    if (missing <= 0) return false;
    let used = 0;
    for (; missing > 0; used++) if (todo[used] !== ".") missing--;
    todo.splice(0, used, ...split(alias.at));
    this.entered = alias;
    return true;
  }

  /** For `..`: true at the top of an alias. `todo` now holds its parent, from `/`. */
  leaves(here: readonly string[], todo: string[]): boolean {
    this.isDue = true;
    if (this.entered === null || pathOf(here) !== this.entered.at) return false;
    todo.unshift(...split(parent(this.entered.path)));
    this.entered = null;
    return true;
  }
}
