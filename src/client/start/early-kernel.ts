// Starts the kernel of `gsv chat TEXT` before anything else is loaded. Imports little: the build keeps it out of the chunk that all commands
// share.

import { existsSync, fstatSync, readdirSync } from "node:fs";
import { type HomePaths, prepareHome } from "../../paths.ts";
import type { StarterEnd } from "../../rpc/find.ts";
import { remotesFile } from "../remotes/place.ts";
import { type HomeSearch, homePlace } from "./home-place.ts";
import { type KernelStart, startKernel } from "./start-kernel.ts";

export interface EarlyKernel {
  /** It creates the home. */
  readonly isNewHome: boolean;
  readonly end: Promise<StarterEnd>;
}

type Place = HomeSearch & Omit<KernelStart, "paths">;

/** True for `gsv chat TEXT` without input: nothing but its kernel can refuse it. */
function isMessage([name, text = "", ...more]: readonly string[], stdin: number): boolean {
  if (name !== "chat" || more.length > 0 || text.startsWith("-") || text.trim() === "") return false;
  return hasNoInput(stdin);
}

/** null if it is another command than a plain message. `stdin` is a descriptor. */
export async function ahead(
  argv: readonly string[],
  here: Place,
  stdin = 0,
): Promise<{ readonly early: EarlyKernel | null } | null> {
  return isMessage(argv, stdin) ? { early: await earlyKernel(here) } : null;
}

/** null if a kernel may be running, or is elsewhere. Errors are left to the command, which meets them again. */
async function earlyKernel(here: Place): Promise<EarlyKernel | null> {
  const { env, uid, command } = here;
  if (env.GSV_KERNEL || env.GSV_SERVER || env.GSV_REMOTE || existsSync(remotesFile(env))) return null;
  try {
    const { paths, socket } = await homePlace(here);
    prepareHome(paths, uid);
    if (socket().mayServe()) return null;
    const isNew = isNewHome(paths);
    const end = startKernel({ paths, command, env });
    end.catch(() => {});
    return { isNewHome: isNew, end };
  } catch {
    return null;
  }
}

export function isNewHome({ kernelDb, procDir }: HomePaths): boolean {
  return !existsSync(kernelDb) && readdirSync(procDir).length === 0;
}

/** A terminal, or a device such as /dev/null. */
function hasNoInput(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return !stat.isFIFO() && !stat.isSocket() && !stat.isFile();
  } catch {
    return true;
  }
}
