// Holds bytes on their way to another machine until they were sent: the request names their checksum first, and a retry sends them all
// again. Up to 1 MiB stays in memory, more goes to a temporary file.

import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256Hex } from "../lib/hash.ts";
import { makeDirectory, type Written, writeDurably } from "./host.ts";

/** What stays in memory. */
const HELD_BYTES_MAX = 1024 * 1024;

export interface Spooled extends Written {
  readonly body: Uint8Array | { readonly path: string };
}

export async function spooled<T>(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  path: string,
  use: (spooled: Spooled) => Promise<T>,
): Promise<T> {
  if (bytes instanceof Uint8Array) return use(held(bytes));
  const pieces = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  while (size <= HELD_BYTES_MAX) {
    const { value, done } = await pieces.next();
    if (done) return use(held(Buffer.concat(first)));
    // Whoever makes them may use the same memory again for the next piece.
    first.push(value.slice());
    size += value.byteLength;
  }
  await makeDirectory(dirname(dirname(path)));
  await makeDirectory(dirname(path));
  try {
    const written = await writeDurably(path, joined(first, pieces));
    return await use({ ...written, body: { path } });
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

function held(bytes: Uint8Array): Spooled {
  return { size: bytes.byteLength, sha256: sha256Hex(bytes), body: bytes };
}

async function* joined(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
