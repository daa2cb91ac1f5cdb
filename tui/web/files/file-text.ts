// Bytes of a file as text that can be edited, and back: a text that nobody changed has the same bytes again. Pure.

import { reveal } from "../../../src/lib/text/sanitize.ts";

export interface FileText {
  /** Lines end with `\n`, as in the field of a browser. */
  readonly text: string;
  /** How the lines end in the file; null if they end in different ways, so that the text cannot be edited here. */
  readonly newline: "\n" | "\r\n" | null;
}

/** null if the bytes are not UTF-8 text. */
export function textIn(bytes: Uint8Array): FileText | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
  if (text.includes("\0")) return null;
  const returns = text.split("\r").length;
  if (returns === 1) return { text, newline: "\n" };
  const pairs = text.split("\r\n").length;
  const isSame = returns === pairs && text.split("\n").length === pairs;
  return { text: text.replaceAll("\r\n", "\n"), newline: isSame ? "\r\n" : null };
}

export function bytesOf(text: string, newline: "\n" | "\r\n"): Uint8Array {
  return new TextEncoder().encode(newline === "\n" ? text : text.replaceAll("\n", newline));
}

/** With hidden characters made visible, line by line. */
export function shownText(text: string): string {
  return text.replace(/[^\n\t]+/g, (part) => reveal(part));
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  // More arguments overflow the stack.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

export function fromBase64(data: string): Uint8Array {
  return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
}
