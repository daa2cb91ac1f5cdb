// SHA-256 of bytes that are all in memory. Streams hash piece by piece where they are read.

/** In hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex");
}

/** Of two hashes in hex; takes the same time wherever they differ. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return a.length === b.length && crypto.timingSafeEqual(a, b);
}
