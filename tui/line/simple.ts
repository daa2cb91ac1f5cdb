// Lines that are one plain command: no pipe, redirection or expansion. A gsv command of that form can have the terminal. Pure.

/** The words without their quotes; null if the line needs the shell. */
export function simpleWords(line: string): readonly string[] | null {
  const words: string[] = [];
  const pattern = /\s*(?:'([^']*)'|"([^"$`\\]*)"|([^\s'"\\$`|&;()<>{}*?[\]!#]+))(?=\s|$)/y;
  const text = line.trim();
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return null;
    words.push(match[1] ?? match[2] ?? match[3] ?? "");
  }
  return words.length === 0 || (words[0] ?? "").includes("=") ? null : words;
}
