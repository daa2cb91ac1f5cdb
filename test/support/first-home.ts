// A home that a kernel has made, such as that of its first start: accounts, their homes, init. Made once in a process and copied for
// each test of something else, because making it is two thirds of a start.

import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  readonly path: string;
  readonly mode: number;
  /** null: a directory. */
  readonly bytes: Uint8Array | null;
}

export class LaidHome {
  private made: Promise<readonly Entry[]> | null = null;

  /** `make` runs a kernel in a home, lets it leave, and returns the path of the home until it removes it. */
  constructor(private readonly make: () => Promise<FirstHome>) {}

  async layAt(directory: string): Promise<void> {
    this.made ??= taken(this.make);
    for (const { path, mode, bytes } of await this.made) {
      const at = join(directory, path);
      if (bytes === null) mkdirSync(at, { recursive: true });
      else writeFileSync(at, bytes);
      chmodSync(at, mode);
    }
  }
}

export interface FirstHome {
  readonly directory: string;
  remove(): void;
}

async function taken(make: () => Promise<FirstHome>): Promise<readonly Entry[]> {
  const home = await make();
  try {
    // A directory comes before its content.
    return readdirSync(home.directory, { recursive: true, encoding: "utf8" })
      .sort()
      .map((path) => {
        const at = join(home.directory, path);
        const stat = statSync(at);
        return { path, mode: stat.mode & 0o7777, bytes: stat.isDirectory() ? null : readFileSync(at) };
      });
  } finally {
    home.remove();
  }
}
