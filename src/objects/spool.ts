// Buffers bytes on their way to another machine: a request states the checksum first, and a retry sends everything again. Up to 1 MiB
// stays in memory, more goes to a temporary file.

import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256Hex } from "../lib/hash.ts";
import { makeDirectory, type Written, writeDurably } from "./host.ts";

const MEMORY_BYTES_MAX = 1024 * 1024;

export interface Spooled extends Written {
  readonly body: Uint8Array | { readonly path: string };
}

export async function spooled<T>(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  path: string,
  use: (spooled: Spooled) => Promise<T>,
): Promise<T> {
  if (bytes instanceof Uint8Array) return use(inMemory(bytes));
  const pieces = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  while (size <= MEMORY_BYTES_MAX) {
    const { value, done } = await pieces.next();
    if (done) return use(inMemory(Buffer.concat(first)));
    // The producer may reuse its buffer.
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

function inMemory(bytes: Uint8Array): Spooled {
  return { size: bytes.byteLength, sha256: sha256Hex(bytes), body: bytes };
}

async function* joined(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
