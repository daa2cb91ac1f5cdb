// Views drawn at every size, and the keys pressed in them.

import { expect } from "bun:test";
import type { Key } from "../../tui/line/keys.ts";
import { themeOf } from "../../tui/screen/theme.ts";

export const plain = themeOf({ colour: false, unicode: true });
export const SIZES = [
  [100, 30],
  [60, 20],
  [40, 12],
  [300, 100],
] as const;

export function key(text: string): Key {
  const names: { readonly [text: string]: Key["name"] } = { "\r": "enter", "\x1b": "escape", "↓": "down" };
  const name = names[text] ?? "text";
  const ctrl = text.startsWith("^");
  return { name, text: name === "text" ? text.replace(/^\^/, "") : "", ctrl, alt: false, shift: false };
}

/** Every row fits, and there are no more rows than the screen has. */
export function expectScreen(lines: readonly string[], [columns, rows]: readonly [number, number]): void {
  expect(lines.length).toBeLessThanOrEqual(rows);
  for (const line of lines) {
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).not.toContain("\n");
  }
}

export function text(lines: readonly string[]): string {
  return lines.map((line) => Bun.stripANSI(line).trimEnd()).join("\n");
}
