// Text of models, tools and files, made inert for a terminal. Escape sequences are dropped whole, every other control character,
// bidi control and invisible character becomes visible; \n and \t stay, \r\n becomes \n. The text never controls rendering.
// The result does not depend on how the input is split into chunks, and an unterminated sequence cannot swallow the text after it. For
// pipes, only sequences that a terminal behind them could act on are dropped, and every other character is kept.

/** Characters that may need work. Other text passes unchanged. */
const SUSPECT =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb]|[\u17b4\u17b5]|[\u180b-\u180f]|\u034f|[\ufe00-\ufe0f]/;

/** Combining marks on one letter. No script uses more. */
const MARK = /\p{M}/u;
const ASCII = /^[\x00-\x7f]*$/;
const MARKS_MAX = 8;

/** Characters without a glyph beyond the first plane: marks of hieroglyphs, shorthand and notes, tags. */
const HIDDEN_FAR = [
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
] as const;

// Longest accepted escape sequence. An unterminated one ends there, or at the next line.
const STRING_CHARS_MAX = 8192;
const CSI_CHARS_MAX = 256;

type Mode = "text" | "escape" | "intermediate" | "csi" | "string" | "string-escape";

export class Sanitizer {
  private mode: Mode = "text";
  private sequenceChars = 0;
  private highSurrogate = "";
  private carriageReturn = false;
  // The previous code point decides whether a joiner or variation selector belongs to a real character.
  private before = 0;
  private marks = 0;

  constructor(private readonly goes: "terminal" | "pipe" = "terminal") {}

  push(chunk: string): string {
    if (this.quiet && isPlain(chunk)) {
      if (chunk === "") return chunk;
      this.before = chunk.charCodeAt(chunk.length - 1);
      this.marks = 0;
      return chunk;
    }
    let text = this.highSurrogate + chunk;
    this.highSurrogate = "";
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.highSurrogate = text.slice(-1);
      text = text.slice(0, -1);
    }
    let out = "";
    for (const char of text) out += this.take(char);
    return out;
  }

  /** The text held back, at the end of the input. */
  end(): string {
    let out = this.flushReturn();
    if (this.highSurrogate !== "") out += "\ufffd";
    this.highSurrogate = "";
    this.mode = "text";
    return out;
  }

  private get quiet(): boolean {
    return this.mode === "text" && !this.carriageReturn && this.highSurrogate === "";
  }

  private take(char: string): string {
    const point = char.codePointAt(0) ?? 0;
    if (this.mode === "text") return this.takeText(char, point);
    this.sequenceChars++;
    // A line end and a new ESC always end the open sequence.
    if (point === 0x0a) return this.leave(char, point);
    if (point === 0x1b) {
      this.mode = this.mode === "string" || this.mode === "string-escape" ? "string-escape" : "escape";
      return "";
    }
    return this.takeSequence(char, point);
  }

  private takeSequence(char: string, point: number): string {
    switch (this.mode) {
      case "escape":
        return this.takeEscape(char, point);
      case "intermediate":
        if (point >= 0x20 && point <= 0x2f && this.sequenceChars < CSI_CHARS_MAX) return "";
        return point >= 0x30 && point <= 0x7e ? this.close() : this.leave(char, point);
      case "csi":
        if (point >= 0x20 && point <= 0x3f && this.sequenceChars < CSI_CHARS_MAX) return "";
        return point >= 0x40 && point <= 0x7e ? this.close() : this.leave(char, point);
      case "string-escape":
        // ESC \ ends the string. Any other ESC aborts it and begins a new sequence.
        if (char === "\\") return this.close();
        this.begin("escape");
        return this.takeEscape(char, point);
      default:
        if (point === 0x07 || point === 0x9c) return this.close();
        if (point === 0x18 || point === 0x1a) return this.leave(char, point);
        return this.sequenceChars < STRING_CHARS_MAX ? "" : this.leave(char, point);
    }
  }

  private takeEscape(char: string, point: number): string {
    if (char === "[") return this.begin("csi");
    if ("]P_^X".includes(char)) return this.begin("string");
    if (point >= 0x20 && point <= 0x2f) return this.begin("intermediate");
    return point >= 0x30 && point <= 0x7e ? this.close() : this.leave(char, point);
  }

  private takeText(char: string, point: number): string {
    if (point === 0x0a) {
      this.carriageReturn = false;
      this.marks = 0;
      return this.keep(char, point);
    }
    const held = this.flushReturn();
    if (point === 0x0d && this.goes === "terminal") {
      this.carriageReturn = true;
      return held;
    }
    if (point === 0x1b) return held + this.begin("escape");
    if (point === 0x9b) return held + this.begin("csi");
    if (point === 0x90 || point === 0x98 || (point >= 0x9d && point <= 0x9f)) return held + this.begin("string");
    if (this.goes === "pipe") return isControl(point) ? "" : this.keep(char, point);
    if (isHidden(point, this.before)) return held + shown(point);
    this.marks = marksWith(this.marks, char, point);
    if (this.marks > MARKS_MAX) return held + shown(point);
    return held + this.keep(char, point);
  }

  private keep(char: string, point: number): string {
    this.before = point;
    return char;
  }

  private flushReturn(): string {
    const held = this.carriageReturn ? shown(0x0d) : "";
    this.carriageReturn = false;
    return held;
  }

  private begin(mode: Mode): string {
    this.mode = mode;
    this.sequenceChars = 0;
    return "";
  }

  private close(): string {
    this.mode = "text";
    return "";
  }

  private leave(char: string, point: number): string {
    this.mode = "text";
    return this.takeText(char, point);
  }
}

function isControl(point: number): boolean {
  return (point < 0x20 && point !== 0x09 && point !== 0x0d) || (point >= 0x7f && point <= 0x9f);
}

/** Sanitizes a whole text. */
export function sanitize(text: string): string {
  if (isPlain(text)) return text;
  const sanitizer = new Sanitizer();
  return sanitizer.push(text) + sanitizer.end();
}

/** As `reveal`, but lines stay lines. */
export function revealLines(text: string): string {
  return text.split("\n").map(reveal).join("\n");
}

/** One line with hidden characters and escape sequences made visible: for errors, table cells and approvals. */
export function reveal(text: string): string {
  if (isPlain(text) && !text.includes("\n") && !text.includes("\t")) return text;
  let out = "";
  let before = 0;
  let marks = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    if (point === 0x0a) out += "⏎";
    else if (point === 0x09) out += " ";
    else if (isHidden(point, before)) out += shown(point);
    else {
      marks = marksWith(marks, char, point);
      out += marks > MARKS_MAX ? shown(point) : char;
      before = point;
    }
  }
  return out;
}

function isPlain(text: string): boolean {
  return !SUSPECT.test(text) && (ASCII.test(text) || !MARK.test(text));
}

/** The number of stacked marks with this one. A joiner between them does not reset it. */
function marksWith(marks: number, char: string, point: number): number {
  if (point < 0x300) return 0;
  if (MARK.test(char)) return marks + 1;
  return isJoiner(point) ? marks : 0;
}

function isHidden(point: number, before: number): boolean {
  if (point < 0x20) return point !== 0x0a && point !== 0x09;
  if (point < 0x7f) return false;
  if (point < 0xa0) return true;
  // Joiners and variation selectors shape emoji and several scripts; on their own, or after Latin text, they only hide something.
  if (isJoiner(point)) return before < 0x300 || isJoiner(before);
  if (isSelector(point)) return isSelector(before) || isJoiner(before) || !(before >= 0x1000 || isKeycapBase(before));
  if (point >= 0xd800 && point <= 0xdfff) return true;
  if (point > 0xffff) return HIDDEN_FAR.some(([first, last]) => point >= first && point <= last);
  return SUSPECT.test(String.fromCharCode(point));
}

function isJoiner(point: number): boolean {
  return point === 0x200c || point === 0x200d;
}

function isSelector(point: number): boolean {
  return point >= 0xfe00 && point <= 0xfe0f;
}

// # * 0-9 and the marks © ®, which a variation selector turns into emoji.
function isKeycapBase(point: number): boolean {
  return point === 0x23 || point === 0x2a || (point >= 0x30 && point <= 0x39) || point === 0xa9 || point === 0xae;
}

function shown(point: number): string {
  if (point < 0x20) return String.fromCharCode(0x2400 + point);
  if (point === 0x7f) return "␡";
  if (point >= 0xd800 && point <= 0xdfff) return "\ufffd";
  return `⟨U+${point.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
