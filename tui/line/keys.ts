// Bytes of a terminal as keys. Reports of the terminal (answers, mouse, focus) never become text, a paste is one event, and a key that comes
// in pieces is one key.

export type KeyName =
  | "text"
  | "enter"
  | "tab"
  | "escape"
  | "backspace"
  | "delete"
  | "insert"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "pageup"
  | "pagedown"
  | "other";

export interface Key {
  readonly name: KeyName;
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export type Typed =
  | ({ readonly type: "key" } & Key)
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "focus"; readonly has: boolean }
  /** The terminal reports its cursor; from 0. */
  | { readonly type: "cursor"; readonly row: number; readonly column: number };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Longer sequences are given up. */
const SEQUENCE_CHARS_MAX = 8192;

const FINALS: { readonly [final: string]: KeyName } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  M: "enter",
  Z: "tab",
};
const TILDES: { readonly [number: number]: KeyName } = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};
const CODES: { readonly [code: number]: KeyName } = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
};
/** Keypad keys in the kitty protocol. */
const KITTY: { readonly [code: number]: KeyName } = {
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57425: "insert",
  57426: "delete",
};

export const CTRL_C: Typed = { type: "key", name: "text", text: "c", ctrl: true, alt: false, shift: false };

export class KeyReader {
  private readonly decoder = new TextDecoder();
  private rest = "";
  private pasted: string | null = null;

  /** A key may be unfinished: an escape is a key only if nothing follows it. */
  get isWaiting(): boolean {
    return this.rest !== "" && this.pasted === null;
  }

  /** Within a bracketed paste or a key. */
  get isInside(): boolean {
    return this.rest !== "" || this.pasted !== null;
  }

  push(bytes: Uint8Array): readonly Typed[] {
    this.rest += this.decoder.decode(bytes, { stream: true });
    return this.take(false);
  }

  settle(): readonly Typed[] {
    return this.take(true);
  }

  private take(settled: boolean): readonly Typed[] {
    const typed: Typed[] = [];
    while (this.rest !== "") {
      if (this.pasted !== null) {
        if (!this.takePaste(typed)) break;
        continue;
      }
      const length = this.next(typed, settled);
      if (length === 0) break;
      this.rest = this.rest.slice(length);
    }
    return typed;
  }

  /** Whether the paste has ended. */
  private takePaste(typed: Typed[]): boolean {
    const end = this.rest.indexOf(PASTE_END);
    // The end marker may be cut anywhere.
    const sure = end === -1 ? Math.max(0, this.rest.length - PASTE_END.length) : end;
    this.pasted += this.rest.slice(0, sure);
    this.rest = this.rest.slice(end === -1 ? sure : end + PASTE_END.length);
    if (end === -1) return false;
    typed.push({ type: "paste", text: (this.pasted ?? "").replace(/\r\n?/g, "\n") });
    this.pasted = null;
    return true;
  }

  /** Reads one key. Returns its length, or 0 if it may be unfinished. */
  private next(typed: Typed[], settled: boolean): number {
    const { rest } = this;
    if (rest.startsWith(PASTE_START)) {
      this.pasted = "";
      return PASTE_START.length;
    }
    if (rest[0] !== "\x1b") return plain(rest, typed, {});
    const sequence = sequenceAt(rest);
    if (sequence === "open") {
      if (!settled && rest.length < SEQUENCE_CHARS_MAX) return 0;
      typed.push(key("escape"));
      return 1;
    }
    if (sequence !== null) {
      const found = named(rest.slice(0, sequence));
      if (found !== null) typed.push(found);
      return sequence;
    }
    // Escape and a key: alt.
    if (rest[1] === "\x1b") {
      typed.push(key("escape"));
      return 1;
    }
    return 1 + plain(rest.slice(1), typed, { alt: true });
  }
}

/** Length of the control sequence at the beginning; null if there is none. */
function sequenceAt(text: string): number | "open" | null {
  const kind = text[1];
  if (kind === undefined) return "open";
  if (kind === "[") {
    const match = /^\x1b\[[0-?]*[ -/]*[@-~]/.exec(text);
    if (match !== null) return match[0].length;
    return /^\x1b\[[0-?]*[ -/]*$/.test(text) ? "open" : 2;
  }
  if (kind === "O") return text.length < 3 ? "open" : 3;
  // Answers of the terminal are strings with an end marker.
  if ("]P_^X".includes(kind)) {
    const end = /\x07|\x1b\\|\x9c/.exec(text.slice(2));
    return end === null ? "open" : 2 + end.index + end[0].length;
  }
  return null;
}

function named(sequence: string): Typed | null {
  if (sequence === "\x1b[I" || sequence === "\x1b[O") return { type: "focus", has: sequence.endsWith("I") };
  const final = sequence.at(-1) ?? "";
  if (sequence[1] === "O") return FINALS[final] === undefined ? null : key(FINALS[final]);
  const body = sequence.slice(2, -1);
  // Mouse reports, and answers to gsv's queries.
  if (/^[<?>=]/.test(body)) return null;
  const numbers = body.split(";").map((part) => Number.parseInt(part, 10) || 0);
  const [first = 0, second = 0, third = 0] = numbers;
  if (final === "R") return { type: "cursor", row: Math.max(0, first - 1), column: Math.max(0, second - 1) };
  if (final === "~" && first === 27) return coded(third, second);
  if (final === "~") return TILDES[first] === undefined ? null : key(TILDES[first], modifiers(second));
  if (final === "u") return coded(first, second);
  if (final === "Z") return key("tab", { shift: true });
  return FINALS[final] === undefined ? null : key(FINALS[final], modifiers(second));
}

function coded(code: number, modifier: number): Typed | null {
  const held = modifiers(modifier);
  const name = CODES[code] ?? KITTY[code];
  if (name !== undefined) return key(name, held);
  if (code < 32 || (code >= 0xe000 && code <= 0xf8ff)) return null;
  return key("text", { ...held, text: String.fromCodePoint(code) });
}

function modifiers(number: number): Partial<Key> {
  const bits = Math.max(0, number - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}

/** Reads a control character, or all text up to the next one. */
function plain(text: string, typed: Typed[], held: Partial<Key>): number {
  const code = text.codePointAt(0) ?? 0;
  if (code === 13) typed.push(key("enter", held));
  else if (code === 9) typed.push(key("tab", held));
  else if (code === 127) typed.push(key("backspace", held));
  else if (code === 0) typed.push(key("text", { ...held, ctrl: true, text: " " }));
  else if (code < 27) typed.push(key("text", { ...held, ctrl: true, text: String.fromCharCode(code + 96) }));
  else if (code < 32) typed.push(key("text", { ...held, ctrl: true, text: "\\]^_"[code - 28] ?? "" }));
  else if (held.alt) {
    const letter = String.fromCodePoint(code);
    typed.push(key("text", { ...held, text: letter }));
    return letter.length;
  } else {
    const run = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0] ?? "";
    typed.push(key("text", { ...held, text: run }));
    return run.length;
  }
  return 1;
}

function key(name: KeyName, held: Partial<Key> = {}): Typed {
  const { text = "", ctrl = false, alt = false, shift = false } = held;
  return { type: "key", name, text, ctrl, alt, shift };
}
