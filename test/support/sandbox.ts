// A stand-in for the machine's sandbox: it writes down the words it was given and runs what comes after them, confined by nothing.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface StandIn {
  readonly program: string;
  /** The words of each call, oldest first, without those of the trial. */
  calls(): readonly (readonly string[])[];
}

export function standInSandbox(directory: string): StandIn {
  const program = join(directory, "bwrap");
  const record = join(directory, "bwrap.calls");
  const script = `#!/bin/bash
(IFS=$'\\t'; printf '%s\\n' "\${*//$'\\n'/ }" >> '${record}')
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# -eq 0 ] || { shift; exec "$@"; }
`;
  writeFileSync(program, script, { mode: 0o755 });
  return {
    program,
    calls: () =>
      (existsSync(record) ? readFileSync(record, "utf8").split("\n").slice(0, -1) : [])
        .map((line) => line.split("\t"))
        .filter((words) => words.includes("--")),
  };
}
