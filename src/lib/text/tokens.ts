// Estimates the tokens of a text. Every model counts differently, and reports the count only afterwards.

const BYTES_PER_TOKEN = 4;
/** Overestimating is the cheaper mistake. */
const MARGIN = 1.15;

export function tokensOfBytes(bytes: number): number {
  return Math.ceil((bytes / BYTES_PER_TOKEN) * MARGIN);
}
