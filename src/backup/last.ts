// Remembers in backup/ where the last backup of a home was written.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Places {
  readonly backupDir: string;
}

const NAME = "last.json";

export function noteBackup({ backupDir }: Places, file: string): void {
  writeFileSync(join(backupDir, NAME), `${JSON.stringify({ file })}\n`, { mode: 0o600 });
}

/** The file may be deleted by now. null if none is known. */
export function lastBackup({ backupDir }: Places): string | null {
  try {
    const { file } = JSON.parse(readFileSync(join(backupDir, NAME), "utf8")) as { file?: unknown };
    return typeof file === "string" ? file : null;
  } catch {
    return null;
  }
}
