// Rows that fit one answer, which is one frame of limited size. The rest goes to the next page.

import { headAndTail } from "./truncate.ts";

/** The longest prefix whose JSON fits in the bytes; at least one row. */
export function fitting<Row>(rows: readonly Row[], bytesMax: number): readonly Row[] {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > bytesMax && index > 0) return rows.slice(0, index);
  }
  return rows;
}

const EXCERPT_SHARE = 8;
const TEXT_BYTES_MIN = 64;

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/**
 * The value in at most that many bytes of JSON, for a single row that is too long: cuts long texts to head and tail of the same
 * length. A value with too many parts stays too long.
 */
export function cutToFit<T>(value: T, bytesMax: number): T {
  let cut = value;
  for (let textBytes = bytesMax; jsonBytes(cut) > bytesMax && textBytes >= TEXT_BYTES_MIN; textBytes /= 2)
    cut = clipped(value, Math.floor(textBytes));
  return cut;
}

/** The same for an object with arbitrary keys: if cutting texts is not enough, it becomes an excerpt of its JSON. */
export function objectCutToFit<T extends object>(value: T, bytesMax: number): T | { readonly excerpt: string } {
  const cut = cutToFit(value, bytesMax);
  if (jsonBytes(cut) <= bytesMax) return cut;
  return { excerpt: headAndTail(JSON.stringify(value), Math.floor(bytesMax / EXCERPT_SHARE)).text };
}

/** Cuts long texts in a value to head and tail. */
function clipped<T>(value: T, textBytesMax: number): T {
  if (typeof value === "string") return headAndTail(value, textBytesMax).text as T;
  if (Array.isArray(value)) return value.map((each) => clipped(each, textBytesMax)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clipped(each, textBytesMax)])) as T;
}
