// Input of awk, record by record: operands and the files of getline. Never holds a whole file.

/** Nothing more will come. */
export const OVER = null;
/** The next record is incomplete: more input is needed. */
export const MORE = undefined;

export class Records {
  private text = "";
  private at = 0;
  private ended = false;
  private readonly decoder = new TextDecoder();

  constructor(private readonly pieces: AsyncIterator<Uint8Array>) {}

  /** The next record, if already buffered. */
  take(separator: string, expression: (source: string) => RegExp): string | typeof OVER | typeof MORE {
    if (separator === "") while (this.text[this.at] === "\n") this.at++;
    const end = separator.length === 1 ? this.letter(separator) : this.match(separator, expression);
    if (end !== null) {
      const record = this.text.slice(this.at, end.from);
      this.at = end.to;
      return record;
    }
    if (!this.ended) return MORE;
    if (this.at >= this.text.length) return OVER;
    const rest = this.text.slice(this.at);
    this.at = this.text.length;
    return separator === "" ? rest.replace(/\n+$/, "") : rest;
  }

  async fill(): Promise<void> {
    const { value, done } = await this.pieces.next();
    this.text = this.text.slice(this.at) + (done === true ? this.decoder.decode() : this.decoder.decode(value, STREAM));
    this.at = 0;
    this.ended = done === true;
  }

  async next(separator: string, expression: (source: string) => RegExp): Promise<string | null> {
    for (;;) {
      const record = this.take(separator, expression);
      if (record !== MORE) return record;
      await this.fill();
    }
  }

  private letter(separator: string): { from: number; to: number } | null {
    const from = this.text.indexOf(separator, this.at);
    return from === -1 ? null : { from, to: from + 1 };
  }

  private match(separator: string, expression: (source: string) => RegExp): { from: number; to: number } | null {
    const pattern = expression(separator === "" ? "\n\n+" : separator);
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null || found[0] === "") return null;
    const to = found.index + found[0].length;
    // The separator may continue in the next piece.
    return to === this.text.length && !this.ended ? null : { from: found.index, to };
  }
}

const STREAM = { stream: true } as const;
