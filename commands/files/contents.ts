// `gsv cat`, `gsv tail` and `gsv grep`: the shell's programs of these names.

import { field } from "../../src/syscalls/define.ts";
import { programCommand } from "./program.ts";

const paths = field.paths("the files; - for stdin", { positional: true, meta: "PATH...", of: "file" });

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
