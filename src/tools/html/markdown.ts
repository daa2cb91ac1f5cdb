// Writes Markdown: flowing words, verbatim lines, delayed line breaks, line prefixes. Depth and length are limited.

const CHARS_MAX = 1024 * 1024;
const DEPTH_MAX = 8;

export class MarkdownOut {
  private readonly pieces: string[] = [];
  private chars = 0;
  private owed = 0;
  /** Quote depth when the pending break started. */
  private quotesBefore = 0;
  private marker = "";
  private isAtSpace = true;
  quotes = 0;
  depth = 0;
  /** In a table cell, which is one line. */
  isFlat = false;

  get isFull(): boolean {
    return this.chars > CHARS_MAX;
  }

  get place(): number {
    return this.pieces.length;
  }

  /** Text with collapsed white space. */
  words(text: string): void {
    const flowing = text.replace(/\s+/g, " ");
    const some = this.isAtSpace ? flowing.replace(/^ /, "") : flowing;
    if (some === "") return;
    // Drop a lone space before a break.
    if (some === " " && this.owed > 0) return;
    this.write(some);
    this.isAtSpace = some.endsWith(" ");
  }

  lines(text: string): void {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.push(`\n${this.indent()}`);
      if (line !== "") this.write(line);
    }
    this.isAtSpace = text.endsWith("\n");
  }

  /** At least so many line breaks before the next text. */
  break(lines: number): void {
    if (this.isFlat) this.words(" ");
    else {
      if (this.owed === 0) this.quotesBefore = this.quotes;
      this.owed = Math.max(this.owed, lines);
      this.isAtSpace = true;
    }
  }

  begin(lines: number, marker: string): void {
    this.break(lines);
    if (!this.isFlat) this.marker = marker;
  }

  insert(place: number, text: string): void {
    this.pieces.splice(place, 0, text);
    this.chars += text.length;
  }

  text(from = 0, to?: number): string {
    const lines = this.pieces.slice(from, to).join("").split("\n");
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trim();
  }

  hasText(from: number): boolean {
    return this.pieces.slice(from).some((piece) => piece.trim() !== "");
  }

  settle(): void {
    if (this.owed > 0 && this.pieces.length > 0)
      this.push(
        `${`\n${quotation(Math.min(this.quotes, this.quotesBefore))}`.repeat(this.owed - 1)}\n${this.indent()}`,
      );
    else if (this.pieces.length === 0) this.push(this.indent());
    this.owed = 0;
    if (this.marker !== "") this.push(this.marker);
    this.marker = "";
  }

  private write(text: string): void {
    this.settle();
    this.push(text);
  }

  private push(text: string): void {
    this.pieces.push(text);
    this.chars += text.length;
  }

  // A marker is indented like the enclosing list.
  private indent(): string {
    const depth = Math.min(this.depth, DEPTH_MAX) - (this.marker === "" ? 0 : 1);
    return quotation(this.quotes) + "  ".repeat(Math.max(0, depth));
  }
}

function quotation(depth: number): string {
  return "> ".repeat(Math.min(depth, DEPTH_MAX));
}
