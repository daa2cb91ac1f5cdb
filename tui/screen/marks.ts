// Marks (OSC 133) of prompts, typed lines and their output: the terminal can jump between them and copy one whole.

const mark = (letter: string) => `\x1b]133;${letter}\x1b\\`;

/** Before the glyph of an entered line, after the glyph, and before the output. */
export const PROMPT = mark("A");
export const TYPED = mark("B");
export const RUNS = mark("C");

/** After the output. */
export function overMark(ok: boolean): string {
  return mark(`D;${ok ? 0 : 1}`);
}
