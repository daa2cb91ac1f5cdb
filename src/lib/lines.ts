// A stream of text or bytes, cut into lines: across any split of the input, with \n or \r\n, without the line ending.
// A last line without an ending is a line too. Memory is one line; a caller that must bound it asks `pendingChars`.

export class LineSplitter {
  private readonly decoder = new TextDecoder();
  // Pieces of the open line; joined once it ends, so that a long line in many chunks is not copied again and again.
  private open: string[] = [];
  private openChars = 0;

  /** Length of the line that has begun and not ended. */
  get pendingChars(): number {
    return this.openChars;
  }

  push(chunk: string | Uint8Array): string[] {
    const text = typeof chunk === "string" ? chunk : this.decoder.decode(chunk, { stream: true });
    const lines: string[] = [];
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.keep(text.slice(from, end));
      lines.push(this.close());
      from = end + 1;
    }
    this.keep(text.slice(from));
    return lines;
  }

  /** The last line, when the input did not end with a line ending. */
  end(): string | null {
    this.keep(this.decoder.decode());
    return this.openChars === 0 ? null : this.close();
  }

  private keep(piece: string): void {
    if (piece === "") return;
    this.open.push(piece);
    this.openChars += piece.length;
  }

  private close(): string {
    const line = this.open.join("");
    this.open = [];
    this.openChars = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

export async function* linesOf(stream: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of stream) yield* splitter.push(chunk);
  const last = splitter.end();
  if (last !== null) yield last;
}
