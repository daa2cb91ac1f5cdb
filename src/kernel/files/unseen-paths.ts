// The paths of the host that no file tool opens: those of sockets and keys, and devices of the system.

import type { Clock } from "../../lib/clock.ts";
import type { Hidden } from "../../targets/hidden.ts";

const SYSTEM = ["/proc", "/sys"];
/** Finding sockets takes time. */
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
