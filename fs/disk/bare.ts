// Directories that nobody made: what stands where only the way to a mount is needed.

import type { Stat } from "../filesystem.ts";

export const BARE_DIRECTORY: Stat = {
  kind: "directory",
  uid: 0,
  gid: 0,
  mode: 0o755,
  size: 0,
  mtimeMs: 0,
  version: "0",
};

/** What a walk passes through that is not there. */
export const IMAGINED: Stat = { ...BARE_DIRECTORY };
