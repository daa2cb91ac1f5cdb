// Paints the prompt before the rest is loaded. The terminal echoes and buffers keys meanwhile.

import { fstatSync, writeSync } from "node:fs";
import { abilitiesOf } from "../../tui/screen/abilities.ts";
import { themeOf } from "../../tui/screen/theme.ts";

/** The major number of /dev/null and other memory devices on Linux. Every other character device is taken for a terminal. */
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
