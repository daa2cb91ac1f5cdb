// `gsv audit`: refused and privileged calls, or the writers of a file. A `host:` path is a file on this computer.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileWriterInfo } from "../../src/syscalls/fs/fs-use.ts";
import { usageError } from "../args.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { fileNamed } from "../io/host-files.ts";
import { note } from "../io/status.ts";
import { printResult } from "../print.ts";

const spec = {
  name: "audit",
  summary: "Show refused calls, or who wrote a file",
  input: {
    path: field.optional(
      field.text("file to show writers of; host:PATH on this computer", {
        ...{ positional: true, longest: LIMITS.pathBytesMax, meta: "PATH", of: "host-or-file" as const },
      }),
    ),
    denied: field.flag("only refused and failed calls"),
    since: field.optional(
      field.text("start time: today, 30m, 2h, 7d or a date", { letter: "s", longest: 40, meta: "WHEN" }),
    ),
    limit: field.withDefault(
      field.int("maximum number of entries", { min: 1, max: 1000, letter: "n", meta: "N" }),
      100,
    ),
  },
  examples: [
    "gsv audit",
    "gsv audit --denied --since 2h",
    "gsv audit --limit 20 --json",
    "gsv audit '~/notes.md'",
    "gsv audit host:./src/main.ts --since 7d",
  ],
  notes: [
    "With a file, audit lists every change made through gsv, with process, run and tool call. For versioned files it includes changes made outside gsv.",
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
  if (denied === true) throw usageError(spec, "--denied cannot be combined with a file");
  const asked = { ...args, ...fileNamed(io, path) };
  const found = await io.sys().call<{ writers: readonly FileWriterInfo[]; more: boolean }>("fs.writers", asked);
  await printResult(io, (await declared("fs.writers")).cli.print, found, json);
  if (found.more && !json) await note(io, "(more entries: use -n N)");
  return 0;
});
