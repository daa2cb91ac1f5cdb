// /bin: one file per program, with a line about it. For looking up only: programs run by name, so no file can replace one.

import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { syntheticFs } from "./synthetic.ts";

export interface Program {
  readonly name: string;
  readonly summary: string;
}

/** Called on access: listing the programs loads them. */
export function binFs(programs: () => Promise<readonly Program[]>, clock: Clock): FileSystem {
  const named = async (name: string) => (await programs()).find((program) => program.name === name);
  return syntheticFs(
    [
      {
        path: "/*",
        list: async () => (await programs()).map(({ name }) => name),
        has: async (_caller, _before, name) => (await named(name)) !== undefined,
      },
      {
        path: "/*",
        mode: 0o755,
        text: async (_caller, [name = ""]) => `${name}: ${(await named(name))?.summary ?? ""} (gsv help ${name})\n`,
      },
    ],
    clock,
  );
}
