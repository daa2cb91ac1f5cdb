// What stands at a path, and whether a write there is allowed by modes.

import type { Caller } from "../src/abi/identity.ts";
import { may, needAllowed, SEARCH, WRITE } from "./access.ts";
import { FileError } from "./error.ts";
import type { Place } from "./filesystem.ts";

export interface Standing extends Pick<Place, "path" | "stat"> {
  /** False also if it is unknown. */
  readonly writable: boolean;
}

export async function standingOf(caller: Caller, walk: Promise<Place>): Promise<Standing> {
  try {
    const place = await walk;
    return { ...place, writable: isWritable(caller, place) };
  } catch (error) {
    if (error instanceof FileError) return { path: "", stat: null, writable: false };
    throw error;
  }
}

/** By the mode of the file, or of the directory of a new one. */
function isWritable(caller: Caller, place: Place): boolean {
  const { stat, above, path } = place;
  const decides = stat ?? above;
  if (decides === undefined || stat?.kind === "directory") return false;
  needChangeable(place);
  needAllowed(caller, path);
  return may(caller, decides, stat === null ? WRITE | SEARCH : WRITE);
}

export function needChangeable({ mount, path }: Pick<Place, "mount" | "path">): void {
  if (mount.readOnly) throw new FileError("EROFS", path, "gsv's own files are read-only");
}
