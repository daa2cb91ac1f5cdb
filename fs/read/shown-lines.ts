// Lines of a file in error texts: tabs are marked, since models would copy them as spaces. Pure.

const TAB = "⇥";

export function shownLines(lines: readonly string[]): readonly string[] {
  const shown = lines.map((line) => line.replaceAll("\t", TAB));
  return shown.some((line) => line.includes(TAB)) ? [...shown, `${TAB} is a tab`] : shown;
}
