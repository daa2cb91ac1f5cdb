// How many tokens a text takes, roughly: every model counts for itself, and says so only afterwards.

const BYTES_PER_TOKEN = 4;
/** Too many is the cheaper mistake. */
const MARGIN = 1.15;

export function tokensOfBytes(bytes: number): number {
  return Math.ceil((bytes / BYTES_PER_TOKEN) * MARGIN);
}
