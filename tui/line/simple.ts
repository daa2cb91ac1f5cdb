// Lines that are one command and nothing else: no pipe, no redirection, nothing the shell would expand. Such a line of gsv's own can have
// the terminal, as if it had been typed after `gsv`. Pure.

/** The words of the line, quotes taken off; null when it needs the shell. */
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
