// A stream of text or bytes, cut into lines: across any split of the input, with \n or \r\n, without the line ending.
// A last line without an ending is a line too. Memory is one line and one chunk.

const UNLIMITED = { charsMax: Number.POSITIVE_INFINITY, tooLong: () => new Error("a line has no end") };

/** Throws `tooLong` if a line has more characters. */
export async function* linesOf(
  stream: AsyncIterable<string | Uint8Array>,
  { charsMax, tooLong }: { readonly charsMax: number; readonly tooLong: () => Error } = UNLIMITED,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Pieces of the open line; joined once it ends, so that a long line in many chunks is not copied again and again.
  let open: string[] = [];
  let chars = 0;
  for await (const chunk of stream) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      open.push(text.slice(from, end));
      yield lineOf(open);
      open = [];
      chars = 0;
      from = end + 1;
    }
    if (from < text.length) open.push(text.slice(from));
    chars += text.length - from;
    if (chars > charsMax) throw tooLong();
  }
  open.push(decoder.decode());
  if (open.some((piece) => piece !== "")) yield lineOf(open);
}

function lineOf(pieces: readonly string[]): string {
  const line = pieces.join("");
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
