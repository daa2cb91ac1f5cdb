// The help of one command from its fields: summary, examples, usage, flags.

import type { Fields } from "../../src/syscalls/define.ts";
import { flagsOf, helpLetter, isHidden, type Spec, usageLine, withValue } from "../args.ts";
import { GLOBAL_FLAGS } from "../global-flags.ts";
import { type Look, layout, type Part, type Row, rowLines } from "./layout.ts";

export function helpText(spec: Spec, look: Look): string {
  const words = wordRows(spec);
  const parts: Part[] = [
    { blocks: [{ kind: "text", text: `gsv ${spec.name}: ${spec.summary}` }] },
    { title: "Examples", blocks: [{ kind: "code", lines: spec.examples }] },
    { title: "Usage", blocks: [{ kind: "usage", text: usageLine(spec) }] },
    { title: "Arguments", blocks: [{ kind: "rows", rows: words }] },
    { title: "Flags", blocks: [{ kind: "rows", rows: flagRows(spec) }] },
    ...(spec.notes ?? []).map((text): Part => ({ blocks: [{ kind: "text", text }] })),
    {
      blocks: [
        { kind: "text", text: `Every command also takes ${Object.keys(GLOBAL_FLAGS).join(" ")}. See gsv help topics.` },
      ],
    },
  ];
  const empty = new Set([
    ...(words.length === 0 ? ["Arguments"] : []),
    ...(spec.examples.length === 0 ? ["Examples"] : []),
  ]);
  return layout(
    parts.filter(({ title }) => title === undefined || !empty.has(title)),
    look,
  );
}

export function aligned(rows: readonly Row[]): string[] {
  return rowLines(rows, "", null);
}

export function wordRows(spec: Spec): Row[] {
  return Object.entries(spec.input)
    .filter(([, field]) => field.positional && !isHidden(field))
    .map(([key, field]) => [field.meta ?? field.choices?.join("|") ?? key.toUpperCase(), docOf(field)]);
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
