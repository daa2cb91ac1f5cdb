// SHA-256 of bytes that are all in memory. Streams hash piece by piece where they are read.

/** In hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex");
}
