// Host paths that no file tool opens: sockets, keys, and system devices.

import type { Clock } from "../../lib/clock.ts";
import type { Hidden } from "../../targets/hidden.ts";

const SYSTEM = ["/proc", "/sys"];
/** Finding sockets is slow, so the list is cached. */
const FRESH_MS = 5000;

export function unseenPaths(find: () => Hidden, clock: Clock): () => readonly string[] {
  let found: { readonly at: number; readonly paths: readonly string[] } | null = null;
  return () => {
    const now = clock.mono();
    if (found === null || now - found.at > FRESH_MS) {
      const { directories, files } = find();
      found = { at: now, paths: [...SYSTEM, ...directories, ...files] };
    }
    return found.paths;
  };
}
