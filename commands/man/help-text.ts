// The help of one command from its fields: summary, examples, usage, flags.

import type { Fields } from "../../src/syscalls/define.ts";
import { flagsOf, helpLetter, isHidden, type Spec, usageLine, withValue } from "../args.ts";
import { GLOBAL_FLAGS } from "../global-flags.ts";
import { shortName } from "../short-names.ts";
import { type Block, type Look, layout, type Part, type Row, rowLines } from "./layout.ts";

/** Lines of help on a terminal, one less than the smallest screen has. */
const LINES_MAX = 23;
const EXAMPLES_MAX = 3;

/** On a terminal one screen; the manual page has the rest. */
export function helpText(spec: Spec, look: Look): string {
  const whole = layout(wholeParts(spec), look);
  if (look.width === null || lineCount(whole) <= LINES_MAX) return whole;
  const flags = flagRows(spec);
  for (let count = flags.length; count > 0; count--) {
    const text = layout(shortParts(spec, flags.slice(0, count), flags.length), look);
    if (lineCount(text) <= LINES_MAX) return text;
  }
  return layout(shortParts(spec, [], flags.length), look);
}

function lineCount(text: string): number {
  return text.split("\n").length - 1;
}

function shortParts(spec: Spec, flags: readonly Row[], all: number): readonly Part[] {
  const words = wordRows(spec).map(([word]) => (isRequired(spec, word) ? word : `[${word}]`));
  const usage = spec.usage ?? ["gsv", spec.name, "[FLAGS]", ...words].join(" ");
  const more = all === flags.length ? "" : `${all - flags.length} more flags and the `;
  return present([
    { blocks: [{ kind: "text", text: `gsv ${spec.name}: ${spec.summary}` }] },
    { title: "Examples", blocks: [{ kind: "code", lines: spec.examples.slice(0, EXAMPLES_MAX) }] },
    { title: "Usage", blocks: [{ kind: "usage", text: usage }] },
    { title: "Flags", blocks: [{ kind: "rows", rows: flags }] },
    { blocks: [{ kind: "text", text: `${more === "" ? "Details" : `${more}details`}: gsv man ${spec.name}` }] },
    { blocks: [{ kind: "text", text: shortLine(spec) }] },
  ]);
}

function shortLine({ name }: Spec): string {
  const short = shortName(name);
  return short === null ? "" : `Short: gsv ${short}`;
}

function isRequired({ input }: Spec, word: string): boolean {
  return Object.entries(input).some(([key, field]) => {
    return field.positional === true && nameOf(key, field) === word && !field.optional && field.fallback === undefined;
  });
}

function wholeParts(spec: Spec): readonly Part[] {
  return present([
    { blocks: [{ kind: "text", text: `gsv ${spec.name}: ${spec.summary}` }] },
    { title: "Examples", blocks: [{ kind: "code", lines: spec.examples }] },
    { title: "Usage", blocks: [{ kind: "usage", text: usageLine(spec) }] },
    { blocks: [{ kind: "text", text: shortLine(spec) }] },
    { title: "Arguments", blocks: [{ kind: "rows", rows: wordRows(spec) }] },
    { title: "Flags", blocks: [{ kind: "rows", rows: flagRows(spec) }] },
    ...(spec.notes ?? []).map((text): Part => ({ blocks: [{ kind: "text", text }] })),
    {
      blocks: [
        { kind: "text", text: `Every command also takes ${Object.keys(GLOBAL_FLAGS).join(" ")}. See gsv help topics.` },
      ],
    },
  ]);
}

function present(parts: readonly Part[]): readonly Part[] {
  return parts.filter(({ blocks }) => blocks.some((block) => !isEmpty(block)));
}

function isEmpty(block: Block): boolean {
  if (block.kind === "rows") return block.rows.length === 0;
  return block.kind === "code" ? block.lines.length === 0 : block.text === "";
}

export function aligned(rows: readonly Row[]): string[] {
  return rowLines(rows, "", null);
}

export function wordRows(spec: Spec): Row[] {
  return Object.entries(spec.input)
    .filter(([, field]) => field.positional && !isHidden(field))
    .map(([key, field]) => [nameOf(key, field), docOf(field)]);
}

function nameOf(key: string, field: Fields[string]): string {
  return field.meta ?? field.choices?.join("|") ?? key.toUpperCase();
}

// Models read the same docs, and have no stdin.
function docOf({ doc, stdin }: Fields[string]): string {
  return stdin ? `${doc}; - reads it from stdin` : doc;
}

export function flagRows(spec: Spec): Row[] {
  const rows: Row[] = [];
  for (const [name, { key, spec: field, text }] of flagsOf(spec.input)) {
    if (name !== text) continue;
    const letter = field.letter === undefined ? "" : `-${field.letter}, `;
    const choices = field.choices === undefined ? "" : ` (${field.choices.join(", ")})`;
    const fallback = field.fallback === undefined ? "" : ` [${field.fallback}]`;
    rows.push([`${letter}${withValue(text, key, field)}`, `${docOf(field)}${choices}${fallback}`]);
  }
  return [
    ...rows,
    ["--json", "JSON output, one object per line"],
    [[...helpLetter(spec.input), "--help"].join(", "), "print this help"],
  ];
}

export function globalRows(): Row[] {
  const rows = Object.entries(GLOBAL_FLAGS).map(
    ([name, flag]): Row => ["meta" in flag ? `${name} ${flag.meta}` : name, flag.doc],
  );
  return [["--json", "JSON output, one object per line"], ...rows, ["--help", "help; --version for the version"]];
}
