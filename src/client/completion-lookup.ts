// Reads a home for completion while a person types. Starts no kernel, creates nothing and prints nothing.

import type { RandomBytes } from "../abi/ids.ts";
import type { Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { type HomePaths, isOwnHome } from "../paths.ts";
import { readOnlySys } from "./read.ts";

interface Place {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** null if only a kernel could answer. */
export async function peek(place: () => Promise<Place>): Promise<Sys | null> {
  try {
    const { paths, uid, clock, random } = await place();
    if (!isOwnHome(paths, uid)) return null;
    return await readOnlySys({ paths, clock, random, onInterrupted: () => {} });
  } catch {
    return null;
  }
}
