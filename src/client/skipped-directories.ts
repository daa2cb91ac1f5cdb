// Directories where the person does not want to be asked whether gsv may work in them, in a file of the home. A file that cannot be read
// or written means that the question comes again.

import { readFileSync, writeFileSync } from "node:fs";
import type { SkippedPort } from "../../tui/ports.ts";

const DIRECTORIES_MAX = 500;

export function skippedIn(file: string): SkippedPort {
  return {
    has: (directory) => read(file).includes(directory),
    add(directory) {
      const kept = [...read(file).filter((each) => each !== directory), directory].slice(-DIRECTORIES_MAX);
      try {
        writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
      } catch {
        // The question comes again.
      }
    },
  };
}

function read(file: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
