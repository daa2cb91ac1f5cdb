// Splits a stream into lines. `take` is synchronous, so only an incomplete line costs an await.

/** The next line is incomplete: more input is needed. */
export const MORE = undefined;

export class Lines {
  private text = "";
  private at = 0;
  private ended = false;
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The line taken last had no newline. */
  isCut = false;

  constructor(
    private readonly pieces: AsyncIterator<Uint8Array>,
    private readonly end = "\n",
  ) {}

  /** null at the end of input. */
  take(): string | null | typeof MORE {
    const place = this.text.indexOf(this.end, this.at);
    if (place !== -1) {
      const line = this.text.slice(this.at, place);
      this.at = place + this.end.length;
      this.isCut = false;
      return line;
    }
    if (!this.ended) return MORE;
    if (this.at >= this.text.length) return null;
    const rest = this.text.slice(this.at);
    this.at = this.text.length;
    this.isCut = true;
    return rest;
  }

  async next(): Promise<string | null> {
    for (;;) {
      const line = this.take();
      if (line !== MORE) return line;
      await this.fill();
    }
  }

  /** Whether the line taken last is the last one. */
  async isOver(): Promise<boolean> {
    while (this.at >= this.text.length && !this.ended) await this.fill();
    return this.at >= this.text.length;
  }

  private async fill(): Promise<void> {
    const { value, done } = await this.pieces.next();
    const more = done === true ? this.decoder.decode() : this.decoder.decode(value, { stream: true });
    this.text = this.text.slice(this.at) + more;
    this.at = 0;
    this.ended = done === true;
  }
}

/** Calls `work` for each line; `isCut` if the newline is missing. Stops when `work` returns false. */
export async function eachLine(lines: Lines, work: (line: string, isCut: boolean) => unknown): Promise<void> {
  for (;;) {
    const here = lines.take();
    const line = here === MORE ? await lines.next() : here;
    if (line === null || work(line, lines.isCut) === false) return;
  }
}
