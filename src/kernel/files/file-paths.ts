// Makes paths inside gsv absolute, as people and models write them, and finds the file a path really leads to. Unknown homes are refused;
// if the store fails, so does the lookup.

import type { Namespace } from "../../../fs/namespace.ts";
import { join, normalise, tilde } from "../../../fs/path.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { StoreUnavailable } from "../../store/open.ts";

/** The home for `~` (of the caller's owner) or `~name`; null if there is no such account. */
export type HomeOf = (caller: Caller, username: string | null) => Promise<string | null>;

/** Null if the account of the home does not exist. */
async function absolutePath(homeOf: HomeOf, caller: Caller, path: string): Promise<string | null> {
  const home = tilde(path);
  if (home === null) return join(caller.cwd, path);
  const directory = await homeOf(caller, home.username);
  return directory === null ? null : directory + home.rest;
}

/** The same; throws if the account of the home does not exist. */
export function pathsFor(homeOf: HomeOf): (caller: Caller, path: string) => Promise<string> {
  return async (caller, path) => {
    const found = await absolutePath(homeOf, caller, path);
    if (found !== null) return found;
    throw new SysError("ENOENT", `no such account: ${tilde(path)?.username ?? caller.ownerUid} (${path})`);
  };
}

/** The real file of a path, links followed, even if directories are still missing. Rules about places look at this. */
export function pathLocator({
  namespace,
  homeOf,
}: {
  readonly namespace: Pick<Namespace, "locate" | "named">;
  readonly homeOf: HomeOf;
}): (caller: Caller, path: string) => Promise<string> {
  return async (caller, path) => {
    const absolute = (await absolutePath(homeOf, caller, path)) ?? join(caller.cwd, path);
    try {
      return await namespace.locate(caller, absolute);
    } catch (error) {
      // A failing store must not let a path pass unseen.
      if (!(error instanceof SysError) || error instanceof StoreUnavailable) throw error;
      // The call will fail as well; the path is judged as written.
      return namespace.named(caller, normalise(absolute));
    }
  };
}
