// Keys that the tables of top and strace share. Pure.

import type { Key } from "../line/keys.ts";

/** How far a key moves the selection; null for other keys. `letters` are keys of the one view. */
export function stepOf(key: Key, page: number, letters: { readonly [letter: string]: number }): number | null {
  const named: { readonly [name: string]: number } = {
    ...{ up: -1, down: 1, pageup: -page, pagedown: page, home: -Infinity, end: Infinity },
  };
  if (key.name !== "text") return named[key.name] ?? null;
  return key.ctrl || key.alt ? null : ({ g: -Infinity, G: Infinity, ...letters }[key.text] ?? null);
}

interface Filtered {
  readonly filter: string;
  readonly filtering: boolean;
}

export function onFilterKey<View extends Filtered>(view: View, key: Key): View {
  if (key.name === "enter") return { ...view, filtering: false };
  if (key.name === "escape") return { ...view, filtering: false, filter: "" };
  if (key.name === "backspace") return { ...view, filter: [...view.filter].slice(0, -1).join("") };
  return key.name === "text" && !key.ctrl && !key.alt ? { ...view, filter: view.filter + key.text } : view;
}
