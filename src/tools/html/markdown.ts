// Markdown as it is written: words that flow, lines that stand, breaks that are owed until something follows, and what each line begins
// with. Depth and length are bounded.

const CHARS_MAX = 1024 * 1024;
const DEPTH_MAX = 8;

export class MarkdownOut {
  private readonly pieces: string[] = [];
  private chars = 0;
  private owed = 0;
  /** How many there were around when a break began. */
  private quotesBefore = 0;
  private marker = "";
  private isAtSpace = true;
  /** Quotations around. */
  quotes = 0;
  /** Lists around. */
  depth = 0;
  /** In a cell of a table, which is one line. */
  isFlat = false;

  get isFull(): boolean {
    return this.chars > CHARS_MAX;
  }

  /** Where the next piece will stand. */
  get place(): number {
    return this.pieces.length;
  }

  /** Text of which only the words count. */
  words(text: string): void {
    const flowing = text.replace(/\s+/g, " ");
    const some = this.isAtSpace ? flowing.replace(/^ /, "") : flowing;
    if (some === "") return;
    // A blank alone waits for what it is to part.
    if (some === " " && this.owed > 0) return;
    this.write(some);
    this.isAtSpace = some.endsWith(" ");
  }

  /** Text whose lines stand as they are. */
  lines(text: string): void {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.push(`\n${this.indent()}`);
      if (line !== "") this.write(line);
    }
    this.isAtSpace = text.endsWith("\n");
  }

  /** What follows begins so many lines further down, at the least. */
  break(lines: number): void {
    if (this.isFlat) this.words(" ");
    else {
      if (this.owed === 0) this.quotesBefore = this.quotes;
      this.owed = Math.max(this.owed, lines);
      this.isAtSpace = true;
    }
  }

  /** The same, with something before it. */
  begin(lines: number, marker: string): void {
    this.break(lines);
    if (!this.isFlat) this.marker = marker;
  }

  /** Puts something before what was written since a place. */
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

  /** Whether anything but blanks was written since a place. */
  hasText(from: number): boolean {
    return this.pieces.slice(from).some((piece) => piece.trim() !== "");
  }

  /** Settles what is owed, so that the next piece is text. */
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

  // A marker stands where the text of the list around it does.
  private indent(): string {
    const depth = Math.min(this.depth, DEPTH_MAX) - (this.marker === "" ? 0 : 1);
    return quotation(this.quotes) + "  ".repeat(Math.max(0, depth));
  }
}

function quotation(depth: number): string {
  return "> ".repeat(Math.min(depth, DEPTH_MAX));
}
