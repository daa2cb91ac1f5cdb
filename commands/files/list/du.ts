// `gsv du`: how many bytes files have, by directory. `gsv df` tells what the home takes of the disk.

import { join } from "../../../fs/path.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { field } from "../../../src/syscalls/define.ts";
import type { FileEntry } from "../../../src/syscalls/fs/file-tree-service.ts";
import type { Command } from "../../command.ts";
import { command } from "../../define.ts";
import { jsonLine } from "../../io/status.ts";
import { Problems } from "../problems.ts";
import { entriesOf, statOf } from "./entries.ts";
import { sizeText } from "./ls-layout.ts";

const input = {
  paths: field.optional(
    field.paths("what to measure; your home when left out", { positional: true, meta: "PATH...", of: "file" }),
  ),
  summarize: field.flag("only what was named", { letter: "s" }),
  all: field.flag("files too", { letter: "a" }),
  bytes: field.flag("in bytes, not KiB", { letter: "b" }),
  human: field.flag("as 1.5K", { letter: "h", flag: "human-readable" }),
};

interface Sum {
  readonly path: string;
  readonly bytes: number;
}

interface Going {
  readonly sys: Sys;
  readonly problems: Problems;
  readonly files: boolean;
}

export const du: Command = command(
  { name: "du", summary: "Show how big directories are", input, examples: ["gsv du -h", "gsv du -sb '~/notes'"] },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "du", json);
    const sys = io.sys();
    for (const path of args.paths ?? ["."]) {
      const entry = await problems.attempt(path, () => statOf(sys, path, { link: true }));
      if (entry === null) continue;
      const sums: Sum[] = [];
      const bytes = await measure({ sys, problems, files: args.all === true }, { path, entry }, sums);
      const shown = args.summarize === true || sums.length === 0 ? [{ path, bytes }] : sums;
      const size = (of: number) =>
        args.human === true ? sizeText(of) : args.bytes === true ? String(of) : String(Math.ceil(of / 1024));
      const lines = shown.map((sum) => (json ? jsonLine(sum) : `${size(sum.bytes)}\t${reveal(sum.path)}\n`));
      await io.stdout.write(lines.join(""));
    }
    return problems.status;
  },
);

/** Bytes of everything from here down, whose sums come before its own. */
async function measure(
  going: Going,
  { path, entry }: { readonly path: string; readonly entry: FileEntry },
  sums: Sum[],
): Promise<number> {
  if (entry.kind !== "directory") {
    if (going.files) sums.push({ path, bytes: entry.size });
    return entry.size;
  }
  let bytes = 0;
  for (const below of (await going.problems.attempt(path, () => entriesOf(going.sys, path))) ?? [])
    bytes += await measure(going, { path: join(path, below.name), entry: below }, sums);
  sums.push({ path, bytes });
  return bytes;
}
