// Messages to and from an MCP server over HTTP. The SDK's transport waits forever when a response ends without an answer, and reads bodies of
// any size; here both end the call. Loads the SDK: import it at the first use only.

import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { NO_ANSWER } from "./results.ts";

const BODY_BYTES_MAX = 64 * 1024 * 1024;

export function httpTransport(
  url: string,
  headers: { readonly [name: string]: string },
): StreamableHTTPClientTransport {
  return new HttpTransport(new URL(url), { fetch: boundedFetch, requestInit: { headers: { ...headers } } });
}

class HttpTransport extends StreamableHTTPClientTransport {
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    if (Array.isArray(message) || !("method" in message) || !("id" in message) || options?.onRequestStreamEnd)
      return await super.send(message as JSONRPCMessage, options);
    const { id } = message;
    // An answer that has come makes this one a late one, which the client ignores.
    const onRequestStreamEnd = () =>
      queueMicrotask(() =>
        this.onmessage?.({
          jsonrpc: "2.0",
          id,
          error: { code: NO_ANSWER, message: "the connection ended without an answer" },
        }),
      );
    await super.send(message, { ...options, onRequestStreamEnd });
  }
}

/** Bun ends a response that is silent for six minutes; calls may take longer. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, timeout: false } as RequestInit);
  if (response.body === null) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > BODY_BYTES_MAX)
          controller.error(new Error(`the response is larger than ${BODY_BYTES_MAX / 1024 / 1024} MiB`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, { status: response.status, statusText: response.statusText, headers: response.headers });
}
