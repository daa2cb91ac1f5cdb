// The prompt, before what it takes to use it is loaded. What is typed meanwhile is in the terminal's own buffer, and shown by it.

import { fstatSync, writeSync } from "node:fs";
import { abilitiesOf } from "../../tui/screen/abilities.ts";
import { themeOf } from "../../tui/screen/theme.ts";

/** Memory devices, /dev/null among them, have this major number on Linux; everything else of its kind that gsv is given is a terminal. */
const MAJOR_MEMORY = 1;

export function firstPaint(env: { readonly [name: string]: string | undefined }): void {
  const abilities = abilitiesOf(env);
  if (abilities.dumb || !isTerminal(0) || !isTerminal(1)) return;
  const { you, glyphs } = themeOf(abilities);
  writeSync(1, `${you(glyphs.say)} `);
}

function isTerminal(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isCharacterDevice() && stat.rdev >> 8 !== MAJOR_MEMORY;
  } catch {
    return false;
  }
}
