// `md5sum`, `sha256sum` and the like: print and check checksums. Files of any size are read in pieces.

import { createHash } from "node:crypto";
import { options } from "../options.ts";
import { type Call, eachFile, linesOf, phrase, pieces, text, Usage } from "../program.ts";

const LONG = {
  ...{ check: "c", binary: "b", text: "t", quiet: "q", status: "s", warn: "w", tag: "g", zero: "z" },
  ...{ "ignore-missing": "i", strict: "S" },
};

async function sumOf(call: Call, name: string): Promise<string> {
  const hash = createHash(call.name.replace(/sum$/, ""));
  for await (const piece of pieces(call, name)) hash.update(piece);
  return hash.digest("hex");
}

export async function sums(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, { letters: "cbtwz", long: LONG });
  if (flags.has("c")) return check(call, flags, operands[0] ?? "-");
  const end = flags.has("z") ? "\0" : "\n";
  const mark = flags.has("b") ? "*" : " ";
  const kind = call.name.replace(/sum$/, "").toUpperCase();
  return eachFile(call, operands, async (name) => {
    const sum = await sumOf(call, name);
    call.out(flags.has("g") ? `${kind} (${name}) = ${sum}${end}` : `${sum} ${mark}${name}${end}`);
  });
}

async function check(call: Call, flags: ReadonlyMap<string, string>, list: string): Promise<number> {
  const report = (line: string) => (flags.has("s") ? undefined : call.out(line));
  const warn = (line: string) => (flags.has("s") ? undefined : call.err(`${call.name}: ${line}\n`));
  const lines = linesOf(await text(call, list).catch((error: unknown) => fail(call, list, error)));
  const counts = { wrong: 0, unread: 0, known: 0, strange: 0, fine: 0 };
  for (const line of lines) {
    const [, wanted, name = ""] = /^\\?([0-9a-fA-F]{32,128}) [ *](.+)$/.exec(line) ?? [];
    if (wanted === undefined) {
      if (line !== "" && !line.startsWith("#")) counts.strange++;
      continue;
    }
    counts.known++;
    try {
      const isSame = (await sumOf(call, name)) === wanted.toLowerCase();
      if (isSame) counts.fine++;
      else counts.wrong++;
      if (!isSame || !flags.has("q")) report(`${name}: ${isSame ? "OK" : "FAILED"}\n`);
    } catch (error) {
      if (flags.has("i") && (error as { code?: string }).code === "ENOENT") continue;
      call.err(`${call.name}: ${name}: ${phrase(error)}\n`);
      report(`${name}: FAILED open or read\n`);
      counts.unread++;
    }
  }
  if (counts.known === 0) throw new Usage(`${call.name}: ${list}: no properly formatted checksum lines found`);
  const many = (count: number, one: string, more: string) => `WARNING: ${count} ${count === 1 ? one : more}`;
  if (counts.strange > 0) warn(many(counts.strange, "line is improperly formatted", "lines are improperly formatted"));
  if (counts.unread > 0) warn(many(counts.unread, "listed file could not be read", "listed files could not be read"));
  if (counts.wrong > 0) warn(many(counts.wrong, "computed checksum did NOT match", "computed checksums did NOT match"));
  return counts.wrong + counts.unread > 0 || (flags.has("S") && counts.strange > 0) || counts.fine === 0 ? 1 : 0;
}

function fail(call: Call, name: string, error: unknown): never {
  throw new Usage(`${call.name}: ${name}: ${phrase(error)}`);
}
