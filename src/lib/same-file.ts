// Whether a path still names the same file. The file is never opened.

import { statSync } from "node:fs";

export function sameFile(path: string): () => boolean {
  const before = statSync(path, { bigint: true });
  return () => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return now !== undefined && now.ino === before.ino && now.dev === before.dev;
  };
}
