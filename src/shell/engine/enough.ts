// Detects when `head` has enough input. This stops a writer that never waits.

export async function enoughFor(words: readonly string[]): Promise<(piece: Uint8Array) => boolean> {
  const share = (await import("../programs/text/head.ts")).shareOf(words);
  if (share === null) return () => false;
  let [bytes, lines] = [0, 0];
  return (piece) => {
    bytes += piece.byteLength;
    if (share.unit === "bytes") return bytes >= share.count;
    const next = (from: number) => piece.indexOf(share.end, from);
    for (let at = next(0); at !== -1 && lines < share.count; at = next(at + 1)) lines++;
    return lines >= share.count;
  };
}
