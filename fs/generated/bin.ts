// /bin: one file per program, with a line about it. For looking up only: programs run by name, so no file can replace one.

import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { directoryFs } from "./synthetic.ts";

export interface Program {
  readonly name: string;
  readonly summary: string;
}

/** Called on access: listing the programs loads them. */
export function binFs(programs: () => Promise<readonly Program[]>, clock: Clock): FileSystem {
  return directoryFs(
    async () => (await programs()).map(({ name }) => name),
    {
      mode: 0o755,
      async text(_caller, [name = ""]) {
        const program = (await programs()).find((each) => each.name === name);
        return `${name}: ${program?.summary ?? ""} (gsv help ${name})\n`;
      },
    },
    clock,
  );
}
