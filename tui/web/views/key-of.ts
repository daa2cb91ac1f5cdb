// A key of a browser as the terminal's views name it, so that both have the same keys. Pure.

import type { Key } from "../../line/keys.ts";

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

const NAMES: { readonly [key: string]: Key["name"] } = {
  ArrowUp: "up",
  ArrowDown: "down",
  PageUp: "pageup",
  PageDown: "pagedown",
  Home: "home",
  End: "end",
  Enter: "enter",
  Escape: "escape",
  Backspace: "backspace",
  Tab: "tab",
};

/** null for keys that no view has, and for keys of the browser. */
export function keyOf({ key, ctrlKey: ctrl, altKey: alt, metaKey, shiftKey: shift }: Pressed): Key | null {
  if (metaKey) return null;
  const name = NAMES[key];
  if (name !== undefined) return { name, text: "", ctrl, alt, shift };
  return [...key].length === 1 ? { name: "text", text: key, ctrl, alt, shift } : null;
}
