// The help of one command, from its field table: what it does, examples first, then usage and flags.

import type { Fields } from "../src/syscalls/define.ts";
import { flagsOf, isHidden, type Spec, usageLine, withValue } from "./args.ts";

export function helpText(spec: Spec): string {
  const parts = [`gsv ${spec.name}: ${spec.summary}`];
  if (spec.examples.length > 0) parts.push(section("Examples", spec.examples));
  parts.push(section("Usage", [usageLine(spec)]));
  const words = wordRows(spec);
  if (words.length > 0) parts.push(section("Arguments", aligned(words)));
  parts.push(section("Flags", aligned(flagRows(spec))));
  for (const paragraph of spec.notes ?? []) parts.push(paragraph);
  return `${parts.join("\n\n")}\n`;
}

export function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Two columns, the second one aligned. */
export function aligned(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

function wordRows(spec: Spec): [string, string][] {
  return Object.entries(spec.input)
    .filter(([, field]) => field.positional && !isHidden(field))
    .map(([key, field]) => [field.meta ?? field.choices?.join("|") ?? key.toUpperCase(), docOf(field)]);
}

// A model reads the same fields, and it has no stdin.
function docOf({ doc, stdin }: Fields[string]): string {
  return stdin ? `${doc}; - reads it from stdin` : doc;
}

function flagRows(spec: Spec): [string, string][] {
  const rows: [string, string][] = [];
  for (const [name, { key, spec: field, text }] of flagsOf(spec.input)) {
    if (name !== text) continue;
    const letter = field.letter === undefined ? "" : `-${field.letter}, `;
    const choices = field.choices === undefined ? "" : ` (${field.choices.join(", ")})`;
    const fallback = field.fallback === undefined ? "" : ` [${field.fallback}]`;
    rows.push([`${letter}${withValue(text, key, field)}`, `${docOf(field)}${choices}${fallback}`]);
  }
  return [...rows, ["--json", "print JSON: one object a line"], ["-h, --help", "print this help"]];
}
