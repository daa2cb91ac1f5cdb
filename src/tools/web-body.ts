// Response bodies, decompressed and decoded within limits. Bytes count after decompression. The charset comes from the BOM, the server or
// the page.

import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { SysError } from "../abi/errno.ts";

export interface Body {
  readonly bytes: Buffer;
  readonly cut: boolean;
}

export async function bodyOf(response: Response, bytesMax: number, signal: AbortSignal): Promise<Body> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of unpacked(response)) {
      pieces.push(piece.subarray(0, bytesMax - bytes));
      bytes += piece.byteLength;
      if (bytes > bytesMax) return { bytes: Buffer.concat(pieces), cut: true };
    }
  } catch (error) {
    if (signal.aborted || error instanceof SysError) throw error;
    throw new SysError("EIO", "the response is incomplete or badly compressed");
  }
  return { bytes: Buffer.concat(pieces), cut: false };
}

async function* unpacked(response: Response): AsyncGenerator<Uint8Array> {
  const { body } = response;
  if (body === null) return;
  const unpack = unpackerFor((response.headers.get("content-encoding") ?? "").trim().toLowerCase());
  if (unpack === null) return yield* body;
  // Decompressed data waits in small buffers.
  const feeding = feed(body, unpack);
  try {
    yield* unpack as AsyncIterable<Uint8Array>;
  } finally {
    unpack.destroy();
    await feeding;
  }
}

type Unpacker = ReturnType<typeof createGunzip>;

async function feed(body: AsyncIterable<Uint8Array>, unpack: Unpacker): Promise<void> {
  try {
    for await (const piece of body) {
      if (unpack.destroyed) return;
      if (!unpack.write(piece)) await drained(unpack);
    }
    unpack.end();
  } catch {
    unpack.destroy(new Error("the answer broke off"));
  }
}

function drained(unpack: Unpacker): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["drain", "close", "error"]) unpack.once(event, () => resolve());
  });
}

function unpackerFor(packing: string): Unpacker | null {
  switch (packing) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate() as unknown as Unpacker;
    case "br":
      return createBrotliDecompress() as unknown as Unpacker;
    default:
      throw new SysError("EIO", `unknown content encoding: ${packing.slice(0, 40)}`);
  }
}

const SNIFFED_BYTES = 2048;

export function decoded(bytes: Buffer, contentType: string): string {
  const beginning = bytes.toString("latin1", 0, SNIFFED_BYTES);
  const sniffed = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]{1,40})/i.exec(beginning);
  const charset = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType)?.[1] ?? sniffed?.[1] ?? "utf-8";
  return decoderFor(markOf(beginning) ?? charset).decode(bytes);
}

function markOf(beginning: string): string | null {
  if (beginning.startsWith("\xef\xbb\xbf")) return "utf-8";
  if (beginning.startsWith("\xfe\xff")) return "utf-16be";
  return beginning.startsWith("\xff\xfe") ? "utf-16le" : null;
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label as "utf-8");
  } catch {
    return new TextDecoder();
  }
}
