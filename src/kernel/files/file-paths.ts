// Paths inside gsv as people and models write them, made absolute, and the file that such a path really leads to. A path whose home nobody has
// is refused; a store that cannot say where one leads lets nothing pass.

import type { Namespace } from "../../../fs/namespace.ts";
import { join, normalise, tilde } from "../../../fs/path.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { StoreUnavailable } from "../../store/open.ts";

/** The home that `~` (no name: of the caller's owner) or `~name` stands for; null when there is no such account. */
export type HomeOf = (caller: Caller, username: string | null) => Promise<string | null>;

/** As people and models write paths: absolute, relative to where they stand, or from a home; null when nobody has that home. */
async function absolutePath(homeOf: HomeOf, caller: Caller, path: string): Promise<string | null> {
  const home = tilde(path);
  if (home === null) return join(caller.cwd, path);
  const directory = await homeOf(caller, home.username);
  return directory === null ? null : directory + home.rest;
}

/** The same, refused where nobody has that home. */
export function pathsFor(homeOf: HomeOf): (caller: Caller, path: string) => Promise<string> {
  return async (caller, path) => {
    const found = await absolutePath(homeOf, caller, path);
    if (found !== null) return found;
    throw new SysError("ENOENT", `no account ${tilde(path)?.username ?? caller.ownerUid}: ${path}`);
  };
}

/** The file a path really leads to, links followed even where directories are still to be made: what a rule about a place looks at. */
export function pathLocator({
  namespace,
  homeOf,
}: {
  readonly namespace: Pick<Namespace, "locate">;
  readonly homeOf: HomeOf;
}): (caller: Caller, path: string) => Promise<string> {
  return async (caller, path) => {
    const absolute = (await absolutePath(homeOf, caller, path)) ?? join(caller.cwd, path);
    try {
      return await namespace.locate(caller, absolute);
    } catch (error) {
      // A store that cannot say where the path leads would let it pass unseen.
      if (!(error instanceof SysError) || error instanceof StoreUnavailable) throw error;
      // Where the walk fails, so will the call; by its letters it can still be judged.
      return normalise(absolute);
    }
  };
}
