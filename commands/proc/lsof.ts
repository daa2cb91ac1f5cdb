// `gsv lsof`: which process has read or written which file, at which version, and whether the file is another by now. A `host:` path is a file
// of this machine.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileUseInfo } from "../../src/syscalls/fs/file-use-service.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { fileNamed } from "../io/file-place.ts";
import { note } from "../io/status.ts";
import { printResult } from "../print.ts";

const spec = {
  name: "lsof",
  summary: "Show which process has read or written which file, newest first",
  input: {
    path: field.optional(
      field.text("only this file; host:PATH is one of this machine", {
        ...{ positional: true, longest: LIMITS.pathBytesMax, meta: "PATH", of: "host-or-file" as const },
      }),
    ),
    pid: field.optional(field.pid("only this process", { letter: "p", meta: "PID" })),
    limit: field.withDefault(field.int("how many at most", { min: 1, max: 1000, letter: "n", meta: "N" }), 200),
  },
  examples: ["gsv lsof", "gsv lsof '~/notes.md'", "gsv lsof --pid task:abc123", "gsv lsof host:./src/main.ts --json"],
  notes: [
    "stale: the file holds something else by now; what that process writes over it is refused once, and it is shown what was changed.",
    "A process is known by its file tools and by what its scripts in gsv write; what a script or a command of the host reads, nobody notes.",
  ],
} as const;

export const lsof = command(spec, async ({ args: { path, ...args }, json }, io) => {
  const { print } = (await declared("fs.uses")).cli;
  const place = path === undefined ? {} : fileNamed(io, path);
  const found = await io.sys().call<{ uses: readonly FileUseInfo[]; more: boolean }>("fs.uses", { ...args, ...place });
  await printResult(io, print, found, json);
  if (found.more && !json) await note(io, "(there are more: -n N)");
  return 0;
});
