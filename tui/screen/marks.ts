// Marks by which a terminal knows where a prompt began, what was typed and what came of it: it can jump between them and take one out whole.

const mark = (letter: string) => `\x1b]133;${letter}\x1b\\`;

/** Before the glyph of a line that was entered, after it, and at its end: what follows came of it. */
export const PROMPT = mark("A");
export const TYPED = mark("B");
export const RUNS = mark("C");

/** What came of it is over. */
export function overMark(ok: boolean): string {
  return mark(`D;${ok ? 0 : 1}`);
}
