// `gsv ls`, `gsv stat` and `gsv du`: the shell's programs of these names.

import { field } from "../../src/syscalls/define.ts";
import { programCommand } from "./program.ts";

const paths = field.optional(
  field.paths("files and directories (default .)", { positional: true, meta: "PATH...", of: "file" }),
);

export const ls = programCommand(
  {
    name: "ls",
    summary: "List files and directories",
    input: {
      paths,
      long: field.flag("mode, owner, group, size and time", { letter: "l" }),
      all: field.flag("hidden names, . and .. included", { letter: "a" }),
      almostAll: field.flag("hidden names, without . and ..", { letter: "A" }),
      directory: field.flag("directories themselves, not their contents", { letter: "d" }),
      recursive: field.flag("subdirectories too", { letter: "R" }),
      humanReadable: field.flag("sizes such as 1.5K (with -l)", { letter: "h" }),
      time: field.flag("newest first", { letter: "t" }),
      size: field.flag("largest first", { letter: "S" }),
      reverse: field.flag("reverse order", { letter: "r" }),
      one: field.flag("one name per line", { letter: "1" }),
      classify: field.flag("a mark after directories, links and programs", { letter: "F" }),
      numericUidGid: field.flag("numbers instead of owner and group names", { letter: "n" }),
    },
    usage: "gsv ls [-laAdRhtSr1Fn] [PATH...] [--json]",
    examples: ["gsv ls", "gsv ls -l '~/notes'", "gsv ls -lt /proc"],
    notes: ["Paths are inside gsv. Quote ~, or your shell replaces it with your home on this computer."],
  },
  { load: async () => (await import("../../src/shell/programs/files/ls.ts")).ls, isInert: true },
);

export const stat = programCommand(
  {
    name: "stat",
    summary: "Show size, mode, owner and time",
    input: {
      paths: field.paths("the files", { positional: true, meta: "PATH...", of: "file" }),
      dereference: field.flag("the target of a link", { letter: "L" }),
      format: field.optional(field.text("output format, as for stat: %n %s %a %U %y", { letter: "c", meta: "FORMAT" })),
    },
    usage: "gsv stat [-L] [-c FORMAT] PATH... [--json]",
    examples: ["gsv stat '~/notes.md'", "gsv stat -c '%s %n' '~/notes.md'", "gsv stat --json /proc/init:1000"],
  },
  { load: async () => (await import("../../src/shell/programs/files/stat.ts")).stat },
);

export const du = programCommand(
  {
    name: "du",
    summary: "Show disk usage of directories",
    input: {
      paths,
      summarize: field.flag("only a total for each argument", { letter: "s" }),
      all: field.flag("files too", { letter: "a" }),
      bytes: field.flag("sizes in bytes (default KiB)", { letter: "b" }),
      humanReadable: field.flag("sizes such as 1.5K", { letter: "h" }),
      maxDepth: field.optional(field.int("levels to show", { letter: "d", meta: "N" })),
      total: field.flag("a grand total", { letter: "c" }),
    },
    usage: "gsv du [-sabhc] [-d N] [PATH...] [--json]",
    examples: ["gsv du -h", "gsv du -sb '~/notes'"],
  },
  { load: async () => (await import("../../src/shell/programs/files/du.ts")).du },
);
