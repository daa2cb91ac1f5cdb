// `gsv grep`: lines that hold a pattern. Exits as grep does: 0 found, 1 not, 2 when something could not be read.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { isBinary } from "../../src/lib/binary.ts";
import { linesOf } from "../../src/lib/text/lines.ts";
import { reveal, sanitize } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { piecesOf } from "./copy/gsv-side.ts";
import { lineMatcher } from "./grep-pattern.ts";
import { walk } from "./list/entries.ts";
import { Problems } from "./problems.ts";

const input = {
  pattern: field.text("what to look for", { positional: true, meta: "PATTERN", longest: 4096 }),
  paths: field.optional(field.paths("where; - is stdin", { positional: true, meta: "PATH...", of: "file" })),
  recursive: field.flag("directories too, with everything below", { letter: "r" }),
  lineNumber: field.flag("the number of each line", { letter: "n" }),
  ignoreCase: field.flag("whatever the case", { letter: "i" }),
  filesWithMatches: field.flag("only the names of files", { letter: "l" }),
  count: field.flag("only how many lines of each file", { letter: "c" }),
  invertMatch: field.flag("the lines that do not hold it", { letter: "v" }),
  fixedStrings: field.flag("PATTERN is a text, not an expression", { letter: "F" }),
  extendedRegexp: field.flag("PATTERN is an extended expression", { letter: "E" }),
  wordRegexp: field.flag("whole words only", { letter: "w" }),
  quiet: field.flag("print nothing; the exit status tells", { letter: "q" }),
};

export const grep: Command = command(
  {
    name: "grep",
    summary: "Print lines that hold a pattern",
    input,
    examples: ["gsv grep -rn deadline '~'", "gsv grep -ic error /var/log/gsv/*"],
    notes: ["Exit status: 0 when a line was found, 1 when none was, 2 when something could not be read."],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "grep", json);
    const holds = lineMatcher(args.pattern, {
      fixed: args.fixedStrings === true,
      extended: args.extendedRegexp === true,
      ignoreCase: args.ignoreCase === true,
      word: args.wordRegexp === true,
    });
    const down = args.recursive === true;
    const paths = args.paths ?? [down ? "." : "-"];
    const report = new Report(io, { ...args, json, named: down || paths.length > 1 });
    for (const path of paths) {
      for await (const file of filesAt(io, path, { down, problems })) {
        await problems.attempt(file, () => report.search(file, holds));
        if (io.stdout.closed || (args.quiet === true && report.found)) return report.found ? 0 : 1;
      }
    }
    return problems.failures > 0 ? 2 : report.found ? 0 : 1;
  },
);

async function* filesAt(
  io: Io,
  path: string,
  { down, problems }: { readonly down: boolean; readonly problems: Problems },
): AsyncGenerator<string> {
  if (!down || path === "-") return yield path;
  for await (const { path: below, entry, depth } of walk({ sys: io.sys(), problems }, path))
    if (entry.kind === "file" || (depth === 0 && entry.kind === "symlink")) yield below;
}

interface ReportHow {
  readonly json: boolean;
  /** Whether the file stands before its lines. */
  readonly named: boolean;
  readonly lineNumber?: boolean;
  readonly filesWithMatches?: boolean;
  readonly count?: boolean;
  readonly invertMatch?: boolean;
  readonly quiet?: boolean;
}

class Report {
  found = false;

  constructor(
    private readonly io: Io,
    private readonly how: ReportHow,
  ) {}

  async search(path: string, holds: (line: string) => boolean): Promise<void> {
    const { how, io } = this;
    const pieces = new Pieces(path === "-" ? io.stdin.bytes() : piecesOf(io.sys(), path));
    let [number, count] = [0, 0];
    for await (const line of linesOf(pieces, { charsMax: LIMITS.fileBytesMax, tooLong: () => tooLong(path) })) {
      number++;
      if (holds(line) === (how.invertMatch === true)) continue;
      this.found = true;
      count++;
      if (how.quiet || how.filesWithMatches || io.stdout.closed) break;
      if (how.count) continue;
      if (pieces.binary && !how.json) {
        await io.stdout.write(`${reveal(path)}: binary file matches\n`);
        return;
      }
      await this.line(path, number, line);
    }
    if (how.quiet) return;
    if (how.filesWithMatches) return count > 0 ? this.name(path) : undefined;
    if (how.count) await this.count(path, count);
  }

  private line(path: string, line: number, content: string): Promise<void> {
    const { json, named, lineNumber } = this.how;
    if (json) return this.io.stdout.write(jsonLine({ path, line, content }));
    const head = `${named ? `${this.shown(path)}:` : ""}${lineNumber ? `${line}:` : ""}`;
    return this.io.stdout.write(`${head}${this.io.stdout.isTTY ? sanitize(content) : content}\n`);
  }

  private name(path: string): Promise<void> {
    return this.io.stdout.write(this.how.json ? jsonLine({ path }) : `${this.shown(path)}\n`);
  }

  private count(path: string, count: number): Promise<void> {
    const { json, named } = this.how;
    return this.io.stdout.write(json ? jsonLine({ path, count }) : `${named ? `${this.shown(path)}:` : ""}${count}\n`);
  }

  private shown(path: string): string {
    const name = path === "-" ? "(standard input)" : path;
    return this.io.stdout.isTTY ? reveal(name) : name;
  }
}

function tooLong(path: string): SysError {
  return new SysError(
    "EFBIG",
    `cannot read ${path}: it has a line of more than ${LIMITS.fileBytesMax / 1024 / 1024} MiB`,
  );
}

/** The pieces of a content, which also know whether it began like text. */
class Pieces implements AsyncIterable<Uint8Array> {
  binary = false;

  constructor(private readonly source: AsyncIterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let begun = false;
    for await (const piece of this.source) {
      if (!begun) this.binary = isBinary(piece);
      begun = true;
      yield piece;
    }
  }
}
