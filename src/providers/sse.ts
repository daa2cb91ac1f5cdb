// Server-sent events: bytes in, events out, whatever the chunk borders. Lines end with \n, \r\n or \r; an event ends with an empty line;
// comments, ids and retry times are ignored. Oversized events are refused, incomplete ones at the end of the body dropped.

/** One event of a stream, not parsed. */
export interface Frame {
  /** Event type; empty if absent. */
  readonly event: string;
  readonly data: string;
}

/** Splits a body into frames. */
export interface Framer {
  push(bytes: Uint8Array): readonly Frame[];
}

/** Far above real events. */
export const FRAME_CHARS_MAX = 16 * 1024 * 1024;

export class FrameTooLong extends Error {
  constructor(charsMax: number) {
    super(`one event of the answer is longer than ${charsMax} characters`);
  }
}

export class SseFramer implements Framer {
  // Removes a byte order mark.
  private readonly decoder = new TextDecoder();
  /** The unfinished line, in pieces: a long line in many chunks is not copied repeatedly. */
  private open: string[] = [];
  private chars = 0;
  /** The last character was \r: a following \n belongs to it. */
  private afterReturn = false;
  private data: string[] = [];
  private event = "";

  constructor(private readonly charsMax = FRAME_CHARS_MAX) {}

  push(bytes: Uint8Array): Frame[] {
    const text = this.decoder.decode(bytes, { stream: true });
    const frames: Frame[] = [];
    let from = 0;
    if (this.afterReturn && text !== "") {
      this.afterReturn = false;
      if (text.charCodeAt(0) === 10) from = 1;
    }
    let feed = text.indexOf("\n", from);
    let back = text.indexOf("\r", from);
    while (feed !== -1 || back !== -1) {
      const end = feed === -1 || (back !== -1 && back < feed) ? back : feed;
      this.line(this.closed(text.slice(from, end)), frames);
      from = end + 1;
      if (end === back) {
        if (from === text.length) this.afterReturn = true;
        else if (text.charCodeAt(from) === 10) from++;
        back = text.indexOf("\r", from);
      }
      if (feed !== -1 && feed < from) feed = text.indexOf("\n", from);
    }
    if (from < text.length) this.keep(text.slice(from));
    return frames;
  }

  private keep(piece: string): void {
    this.grow(piece.length);
    this.open.push(piece);
  }

  private closed(piece: string): string {
    if (this.open.length === 0) return piece;
    const line = this.open.join("") + piece;
    this.open = [];
    return line;
  }

  private grow(chars: number): void {
    this.chars += chars;
    if (this.chars > this.charsMax) throw new FrameTooLong(this.charsMax);
  }

  private line(line: string, frames: Frame[]): void {
    if (line === "") {
      if (this.data.length > 0) frames.push({ event: this.event, data: this.data.join("\n") });
      this.data = [];
      this.event = "";
      this.chars = 0;
    } else if (line.startsWith("data")) {
      const value = fieldOf(line, "data");
      if (value === null) return;
      this.grow(value.length);
      this.data.push(value);
    } else if (line.startsWith("event")) {
      this.event = fieldOf(line, "event") ?? this.event;
    }
  }
}

/** Null if the line has a longer field name. */
function fieldOf(line: string, field: string): string | null {
  if (line.length === field.length) return "";
  if (line[field.length] !== ":") return null;
  return line.slice(field.length + (line[field.length + 1] === " " ? 2 : 1));
}

/** One JSON document per line (Ollama). */
export class LineFramer implements Framer {
  private readonly decoder = new TextDecoder();
  private open: string[] = [];
  private chars = 0;

  constructor(private readonly charsMax = FRAME_CHARS_MAX) {}

  push(bytes: Uint8Array): Frame[] {
    const text = this.decoder.decode(bytes, { stream: true });
    const frames: Frame[] = [];
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      const data = (this.open.join("") + text.slice(from, end)).trim();
      if (data !== "") frames.push({ event: "", data });
      this.open = [];
      this.chars = 0;
      from = end + 1;
    }
    if (from < text.length) {
      this.chars += text.length - from;
      if (this.chars > this.charsMax) throw new FrameTooLong(this.charsMax);
      this.open.push(text.slice(from));
    }
    return frames;
  }
}
