// /bin: one file for each program, a line that says what the program does. They are there to be found and read; a program is run by its
// name and never from here, so that no file can take the place of one.

import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { syntheticFs } from "./synthetic.ts";

export interface Program {
  readonly name: string;
  readonly summary: string;
}

/** Asked when somebody looks: to know them all takes loading them. */
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
