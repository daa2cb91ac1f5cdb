// Commands that run the shell's programs of the same names.

import { field } from "../../src/syscalls/define.ts";
import { programCommand } from "./program.ts";

const paths = field.paths("the files; - for stdin", { positional: true, meta: "PATH...", of: "file" });
const optionalPaths = field.optional(
  field.paths("files and directories (default .)", { positional: true, meta: "PATH...", of: "file" }),
);
const changedPaths = field.paths("files and directories", { positional: true, meta: "PATH...", of: "file" });
const recursive = field.flag("everything below too", { letter: "R" });

export const cat = programCommand(
  {
    name: "cat",
    summary: "Print files",
    input: {
      paths,
      number: field.flag("line numbers", { letter: "n" }),
      showAll: field.flag("visible tabs, line ends and control characters", { letter: "A" }),
      squeezeBlank: field.flag("at most one empty line in a row", { letter: "s" }),
    },
    usage: "gsv cat [-nAs] PATH... [--json]",
    examples: ["gsv cat '~/notes.md'", "gsv cat /proc/init:1000/status", "gsv cat '~/picture.png' > picture.png"],
    notes: ["A terminal gets text only, without control characters. Files and pipes get the bytes unchanged."],
  },
  { load: async () => (await import("../../src/shell/programs/text/cat.ts")).cat, printsContent: true },
);

export const tail = programCommand(
  {
    name: "tail",
    summary: "Print the end of files",
    input: {
      paths,
      lines: field.optional(
        field.text("number of lines (default 10); +N starts at line N", { letter: "n", meta: "N" }),
      ),
      bytes: field.optional(field.text("number of bytes", { letter: "c", meta: "N" })),
      follow: field.flag("new lines too, until interrupted", { letter: "f" }),
      silent: field.flag("no file names", { letter: "q" }),
    },
    usage: "gsv tail [-n N] [-c N] [-fq] PATH... [--json]",
    examples: ["gsv tail -n 20 '~/notes.md'", "gsv tail -f /proc/init:1000/stream"],
    notes: ["/proc/PID/stream contains the text of a process and the output of its commands as they arrive."],
  },
  { load: async () => (await import("../../src/shell/programs/text/tail.ts")).tail },
);

export const grep = programCommand(
  {
    name: "grep",
    summary: "Print lines that match a pattern",
    input: {
      pattern: field.text("the pattern", { positional: true, meta: "PATTERN" }),
      paths: field.optional(paths),
      recursive: field.flag("directories with everything below", { letter: "r" }),
      lineNumber: field.flag("line numbers", { letter: "n" }),
      ignoreCase: field.flag("any case", { letter: "i" }),
      filesWithMatches: field.flag("only names of files that match", { letter: "l" }),
      count: field.flag("only the number of lines per file", { letter: "c" }),
      invertMatch: field.flag("lines that do not match", { letter: "v" }),
      onlyMatching: field.flag("only the matching part", { letter: "o" }),
      fixedStrings: field.flag("PATTERN as plain text", { letter: "F" }),
      extendedRegexp: field.flag("PATTERN as an extended expression", { letter: "E" }),
      wordRegexp: field.flag("whole words only", { letter: "w" }),
      afterContext: field.optional(field.int("lines after each match", { letter: "A", meta: "N" })),
      beforeContext: field.optional(field.int("lines before each match", { letter: "B", meta: "N" })),
      context: field.optional(field.int("lines before and after each match", { letter: "C", meta: "N" })),
      maxCount: field.optional(field.int("at most N lines per file", { letter: "m", meta: "N" })),
      include: field.optional(field.text("only files with such names", { meta: "GLOB" })),
      noFilename: field.flag("no file names", { letter: "h" }),
      quiet: field.flag("no output, only the exit status", { letter: "q" }),
    },
    usage: "gsv grep [-rnilcvoFEwhq] [-A N] [-B N] [-C N] [-m N] PATTERN [PATH...] [--json]",
    examples: ["gsv grep -rn deadline '~'", "gsv grep -ic error /var/log/gsv/*"],
    notes: ["Exit status: 0 for a match, 1 for none, 2 for a file that cannot be read."],
  },
  {
    load: async () => (await import("../../src/shell/programs/text/grep.ts")).grep,
    printsContent: true,
    ownStatus: true,
  },
);

export const ls = programCommand(
  {
    name: "ls",
    summary: "List files and directories",
    input: {
      paths: optionalPaths,
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
      paths: optionalPaths,
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

export const chmod = programCommand(
  {
    name: "chmod",
    summary: "Change permissions",
    input: {
      mode: field.text("octal, or changes such as u+x, go-w, a=r", { positional: true, meta: "MODE" }),
      paths: changedPaths,
      recursive,
    },
    usage: "gsv chmod [-R] MODE PATH... [--json]",
    examples: ["gsv chmod 0640 '~/notes.md'", "gsv chmod -R go-w '~/notes'"],
  },
  { load: async () => (await import("../../src/shell/programs/files/modes.ts")).chmod },
);

export const chown = programCommand(
  {
    name: "chown",
    summary: "Change owner and group",
    input: {
      owner: field.text("OWNER, OWNER:GROUP or :GROUP, by name or number", { positional: true, meta: "OWNER[:GROUP]" }),
      paths: changedPaths,
      recursive,
    },
    usage: "gsv chown [-R] OWNER[:GROUP] PATH... [--json]",
    examples: ["gsv chown :users '~/shared.md'", "gsv chown alice:alice /home/alice/notes.md --user root"],
    notes: ["Only root can change the owner. You can set any group that you belong to."],
  },
  { load: async () => (await import("../../src/shell/programs/files/modes.ts")).chown },
);

export const mkdir = programCommand(
  {
    name: "mkdir",
    summary: "Create directories",
    input: {
      paths: changedPaths,
      parents: field.flag("missing parents too; no error if it exists", { letter: "p" }),
      mode: field.optional(field.text("permissions, as for chmod", { letter: "m", meta: "MODE" })),
    },
    usage: "gsv mkdir [-p] [-m MODE] PATH... [--json]",
    examples: ["gsv mkdir -p '~/notes/2026'", "gsv mkdir -m 0700 '~/private'"],
  },
  { load: async () => (await import("../../src/shell/programs/files/modes.ts")).mkdir },
);
