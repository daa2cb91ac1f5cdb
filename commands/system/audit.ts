// `gsv audit`: what was refused, and who did what only some may do; of a file, who wrote it, when, in which run. A `host:` path is a file of
// this machine.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileWriterInfo } from "../../src/syscalls/fs/file-use-service.ts";
import { usageError } from "../args.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { fileNamed } from "../io/file-place.ts";
import { note } from "../io/status.ts";
import { printResult } from "../print.ts";

const spec = {
  name: "audit",
  summary: "Print refused and privileged calls, yours and your agents'; of a file, who wrote it",
  input: {
    path: field.optional(
      field.text("who wrote this file, newest first; host:PATH is one of this machine", {
        ...{ positional: true, longest: LIMITS.pathBytesMax, meta: "PATH", of: "host-or-file" as const },
      }),
    ),
    denied: field.flag("only refused or failed calls"),
    since: field.optional(
      field.text("only since: today, 30m, 2h, 7d, a date or a time", { letter: "s", longest: 40, meta: "WHEN" }),
    ),
    limit: field.withDefault(field.int("maximum number of calls", { min: 1, max: 1000, letter: "n", meta: "N" }), 100),
  },
  examples: [
    "gsv audit",
    "gsv audit --denied --since 2h",
    "gsv audit --limit 20 --json",
    "gsv audit '~/notes.md'",
    "gsv audit host:./src/main.ts --since 7d",
  ],
  notes: [
    "Of a file it tells every change that went through gsv, with process, run and tool call, also of processes that are gone; where files have versions, the changes beside gsv too.",
  ],
} as const;

export const audit = command(spec, async ({ args: { path, denied, ...args }, json }, io) => {
  if (path === undefined) {
    const calls = await declared("audit.list");
    await printResult(
      io,
      calls.cli.print,
      await io.sys().call("audit.list", { ...args, denied: denied === true }),
      json,
    );
    return 0;
  }
  if (denied === true) throw usageError(spec, "--denied is about calls, not about a file");
  const asked = { ...args, ...fileNamed(io, path) };
  const found = await io.sys().call<{ writers: readonly FileWriterInfo[]; more: boolean }>("fs.writers", asked);
  await printResult(io, (await declared("fs.writers")).cli.print, found, json);
  if (found.more && !json) await note(io, "(there are more: -n N)");
  return 0;
});
