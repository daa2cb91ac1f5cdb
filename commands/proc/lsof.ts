// `gsv lsof`: which process has read or written which file, at which version, and whether the file has changed since. A `host:` path is on
// this computer.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileUseInfo } from "../../src/syscalls/fs/fs-use.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { fileNamed } from "../io/host-files.ts";
import { note } from "../io/status.ts";
import { printResult } from "../print.ts";

const spec = {
  name: "lsof",
  summary: "Show which process uses which file",
  input: {
    path: field.optional(
      field.text("file; host:PATH on this computer", {
        ...{ positional: true, longest: LIMITS.pathBytesMax, meta: "PATH", of: "host-or-file" as const },
      }),
    ),
    pid: field.optional(field.pid("process (default: all)", { letter: "p", meta: "PID" })),
    limit: field.withDefault(field.int("maximum number of rows", { min: 1, max: 1000, letter: "n", meta: "N" }), 200),
  },
  examples: ["gsv lsof", "gsv lsof '~/notes.md'", "gsv lsof --pid task:abc123", "gsv lsof host:./src/main.ts --json"],
  notes: [
    "stale: the file has changed since. The next write of that process is refused once and shows it the changes.",
    "Includes file tools and writes of scripts in gsv. Reads of scripts and host commands are not recorded.",
  ],
} as const;

export const lsof = command(spec, async ({ args: { path, ...args }, json }, io) => {
  const { print } = (await declared("fs.uses")).cli;
  const place = path === undefined ? {} : fileNamed(io, path);
  const found = await io.sys().call<{ uses: readonly FileUseInfo[]; more: boolean }>("fs.uses", { ...args, ...place });
  await printResult(io, print, found, json);
  if (found.more && !json) await note(io, "(more entries: use -n N)");
  return 0;
});
