// Whether a file is text, by its first bytes.

const SNIFF_BYTES = 8192;

/** Text has no NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}
