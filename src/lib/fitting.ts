// Rows that fit one answer. An answer is one frame of bounded size, so a page ends early rather than late; the rest is another page.

import { headAndTail } from "./truncate.ts";

/** The longest beginning whose JSON stays within the bytes; at least one row, however long. */
export function fitting<Row>(rows: readonly Row[], bytesMax: number): readonly Row[] {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > bytesMax && index > 0) return rows.slice(0, index);
  }
  return rows;
}

/** The same value with long texts in it cut to head and tail, for one row that alone is too long. */
export function clipped<T>(value: T, textBytesMax: number): T {
  if (typeof value === "string") return headAndTail(value, textBytesMax).text as T;
  if (Array.isArray(value)) return value.map((each) => clipped(each, textBytesMax)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clipped(each, textBytesMax)])) as T;
}
