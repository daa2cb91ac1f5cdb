// Lines of a file as a model is shown them in an error: a tab as a mark, because it would be shown as a blank and copied as one. Pure.

const TAB = "⇥";

export function shownLines(lines: readonly string[]): readonly string[] {
  const shown = lines.map((line) => line.replaceAll("\t", TAB));
  return shown.some((line) => line.includes(TAB)) ? [...shown, `${TAB} is a tab`] : shown;
}
