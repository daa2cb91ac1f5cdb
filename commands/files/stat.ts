// `gsv stat`: everything that is known of a file, but its content.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileStat } from "../../src/syscalls/fs/file-tree-service.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { aligned } from "../man/help-text.ts";
import { statOf } from "./list/entries.ts";
import { modeText } from "./list/ls-layout.ts";
import { Problems } from "./problems.ts";

const input = {
  paths: field.paths("the files", { positional: true, meta: "PATH...", of: "file" }),
  follow: field.flag("of a link, what it points to", { letter: "L" }),
};

export const stat: Command = command(
  {
    name: "stat",
    summary: "Show what is known of files: kind, size, owner, mode, time",
    input,
    examples: ["gsv stat '~/notes.md'", "gsv stat --json /proc/init:1000"],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "stat", json);
    let isFirst = true;
    for (const path of args.paths) {
      const found = await problems.attempt(path, () => statOf(io.sys(), path, { link: args.follow !== true }));
      if (found === null) continue;
      await io.stdout.write(json ? jsonLine(found) : `${isFirst ? "" : "\n"}${statText(found)}`);
      isFirst = false;
    }
    return problems.status;
  },
);

function statText(found: FileStat): string {
  const rows: [string, string][] = [
    ["path", reveal(found.path) + (found.target === undefined ? "" : ` -> ${reveal(found.target)}`)],
    ["kind", found.kind],
    ["size", String(found.size)],
    ["mode", `${found.mode} ${modeText(found)}`],
    ["owner", `${reveal(found.owner)} (${found.uid})`],
    ["group", `${reveal(found.group)} (${found.gid})`],
    ["changed", new Date(found.mtimeMs).toISOString()],
    ["type", found.contentType ?? "-"],
    ["version", found.version],
  ];
  return `${aligned(rows).join("\n")}\n`;
}
