// The body of an answer, decompressed here: Bun prints a line of its own about damaged data, and names no cause.

import { WireFailure } from "./failures.ts";
import { fetchLocal } from "./loopback.ts";

const FORMATS: { readonly [encoding: string]: Bun.CompressionFormat } = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
};

/** As `fetch`. A damaged body fails with a WireFailure. */
export async function fetchWhole(url: string | URL | Request, init: RequestInit): Promise<Response> {
  const compressed = (to: typeof url, how: RequestInit) => fetch(to, { ...how, redirect: "manual", decompress: false });
  const response = await fetchLocal(url, init, compressed);
  const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (response.body === null || encoding === "identity" || encoding === "") return response;
  const format = FORMATS[encoding];
  if (format === undefined) throw damaged(`its answer has an unknown compression, ${encoding.slice(0, 40)}`);
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(decompressed(response.body, format, encoding), { status, statusText, headers });
}

function decompressed(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  format: Bun.CompressionFormat,
  encoding: string,
): ReadableStream<Uint8Array> {
  const reader = body.pipeThrough(new DecompressionStream(format)).getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // A lost connection has a code.
        const isLost = error instanceof Error && ("code" in error || error.name === "AbortError");
        controller.error(isLost ? error : damaged(`its ${encoding} answer is damaged`));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function damaged(what: string): WireFailure {
  return new WireFailure({ class: "server", message: `the model server cannot be used: ${what}` });
}
