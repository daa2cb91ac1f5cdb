// Messages to and from an MCP server over HTTP. The SDK's transport waits forever when a response ends without an answer, and reads bodies of
// any size; here both end the call. Loads the SDK: import it at the first use only.

import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { Challenge } from "../oauth/discovery.ts";
import { challengeOf } from "../oauth/probe.ts";
import { NO_ANSWER } from "./results.ts";

/** Tokens for a server that a person signs in to. */
export interface HttpLogin {
  /** `rejected`: the server did not accept this one. */
  token(rejected: string | null): Promise<string | null>;
  refused(challenge: Challenge): Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;

export function httpTransport(
  url: string,
  headers: { readonly [name: string]: string },
  login: HttpLogin | null = null,
): StreamableHTTPClientTransport {
  const fetch = login === null ? boundedFetch : signedIn(new URL(url).origin, login);
  return new HttpTransport(new URL(url), { fetch, requestInit: { headers: { ...headers } } });
}

/** A token that the server refuses is looked up again, and renewed, before a person is asked. */
function signedIn(origin: string, login: HttpLogin): typeof boundedFetch {
  return async (url, init) => {
    if (new URL(url).origin !== origin) return await boundedFetch(url, init);
    const send = (token: string | null) => boundedFetch(url, token === null ? init : withToken(init, token));
    const token = await login.token(null);
    let response = await send(token);
    const next = response.status === 401 && token !== null ? await login.token(token) : null;
    if (next !== null && next !== token) {
      await response.body?.cancel();
      response = await send(next);
    }
    const challenge = challengeOf(response);
    if (challenge !== null) await login.refused(challenge);
    return response;
  };
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
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
