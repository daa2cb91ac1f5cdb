// Prints results as JSON or as the call declares. One row is one line, whatever a label or path contains.

import { wantsColour } from "../src/lib/text/colour.ts";
import { isoTime, localTime } from "../src/lib/text/days.ts";
import { sanitize } from "../src/lib/text/sanitize.ts";
import { wrapIndented, wrapWords } from "../src/lib/text/wrap.ts";
import type { Print } from "../src/syscalls/define.ts";
import type { Io, Output } from "./command.ts";
import { page } from "./io/pager.ts";
import { jsonLine, note } from "./io/status.ts";
import { table } from "./io/table-layout.ts";

export async function printResult(io: Io, print: Print<never>, result: unknown, json: boolean): Promise<void> {
  if (json) await io.stdout.write(jsonResult(print, result));
  else await printPlain(io, print, result);
  const missing = "cut" in print ? (print.cut?.(result as never) ?? null) : null;
  if (missing !== null) await note(io, missing);
}

async function printPlain(io: Io, print: Print<never>, result: unknown): Promise<void> {
  const when = io.stdout.isTTY ? localTime : isoTime;
  switch (print.kind) {
    case "silent":
      return;
    case "value":
      if (io.stdout.isTTY && print.people !== undefined) return printPage(io, print.people(result as never));
      return printPage(
        io,
        print.isFacts ? wrapped(io, print.text(result as never, when)) : print.text(result as never, when),
      );
    case "table": {
      const rows = print.rows(result as never);
      if (rows.length === 0) return note(io, print.empty);
      const width = io.stdout.isTTY ? io.stdout.columns : null;
      const colour = wantsColour(io.stdout.isTTY, io.env);
      const text = table(print.columns, rows, { width, nowMs: io.clock.now(), colour });
      await printPage(io, text, { isInert: true });
      const more = print.note?.(result as never) ?? null;
      if (more !== null) await note(io, more);
      return;
    }
    case "list": {
      const rows = print.rows(result as never);
      const lineOf = (row: object) => print.line(row as never, when);
      const lines = rows.map((row) => withEnd(print.isWrapped ? indented(io, lineOf(row)) : lineOf(row)));
      if (rows.length > 0 && print.head !== undefined) lines.unshift(withEnd(print.head(result as never)));
      if (rows.length > 0) await printPage(io, lines.join(""));
      const more = print.note?.(result as never) ?? null;
      if (rows.length === 0) await note(io, print.empty);
      if (more !== null) await note(io, more);
    }
  }
}

/** Facts on a terminal: a long value continues below its beginning, indented text at its indent. */
function wrapped({ stdout }: Io, text: string): string {
  if (!stdout.isTTY) return text;
  const lines = text.split("\n").flatMap((line) => {
    if (line.startsWith(" ")) return wrapIndented(line, stdout.columns);
    const [first = "", rest = ""] = /^(\S+(?: \S+)* {2,})(.*)$/s.exec(line)?.slice(1) ?? ["", line];
    return wrapWords(rest, stdout.columns, { first, rest: " ".repeat(first.length) });
  });
  return lines.join("\n");
}

function indented({ stdout }: Io, line: string): string {
  return stdout.isTTY ? wrapWords(line, stdout.columns, { first: "", rest: "  " }).join("\n") : line;
}

/** Text with exactly one line end, sanitized on a terminal. */
export function printText(output: Output, text: string): Promise<void> {
  const whole = withEnd(text);
  return output.write(output.isTTY ? sanitize(whole) : whole);
}

export async function printPage(io: Io, text: string, form?: { readonly isInert: true }): Promise<void> {
  if (io.stdout.isTTY) await page(io, withEnd(text), form);
  else await io.stdout.write(withEnd(text));
}

function withEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function jsonResult(print: Print<never>, result: unknown): string {
  if (print.kind !== "table" && print.kind !== "list") return jsonLine(result);
  return print
    .rows(result as never)
    .map((row) => jsonLine(row))
    .join("");
}
