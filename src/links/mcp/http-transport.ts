// Messages to and from an MCP server over HTTP, also over the older transport with events. The SDK's transports wait forever when a response
// ends without an answer, and read bodies of any size; here both end the call. Loads the SDK: import it at the first use only.

import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../lib/clock.ts";
import { type HttpLogin, signedIn } from "../oauth/signed-in.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { NO_ANSWER } from "./results.ts";
import { sentTo, Traffic } from "./traffic.ts";

export interface HttpPorts {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly clock: Clock;
  readonly login: HttpLogin | null;
}

export function httpTransport(ports: HttpPorts): Transport {
  return limited(new HttpTransport(new URL(ports.url), optionsFor(ports)), ports.clock);
}

/** For servers older than 2025-03-26: one stream of events carries all answers. */
export function eventTransport(ports: HttpPorts): Transport {
  // The stream carries the answers of all calls: they end with it.
  const onEnd = () => void transport.close();
  const transport = new EventTransport(new URL(ports.url), optionsFor(ports, onEnd));
  return limited(transport, ports.clock);
}

function optionsFor({ url, headers, clock, login }: HttpPorts, onEnd?: () => void) {
  const plain = boundedFetch({ clock, ...(onEnd !== undefined && { onEnd }) });
  const fetch = login === null ? plain : signedIn(plain, new URL(url).origin, login);
  return { fetch, requestInit: { headers: { ...headers } } };
}

class HttpTransport extends StreamableHTTPClientTransport {
  override async send(given: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const message = Array.isArray(given) ? given : sentTo(given);
    if (Array.isArray(message) || !("method" in message) || !("id" in message) || options?.onRequestStreamEnd)
      return await super.send(message as JSONRPCMessage, options);
    const { id } = message as { readonly id: string | number };
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

class EventTransport extends SSEClientTransport {
  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(sentTo(message));
  }
}

/** Messages of a server pass its limits before the client gets them. */
function limited<T extends Transport>(transport: T, clock: Clock): T {
  const traffic = new Traffic(clock);
  let receive: Transport["onmessage"];
  const pass: NonNullable<Transport["onmessage"]> = (message, extra) => {
    if (traffic.passes(message)) receive?.(message, extra);
  };
  return Object.defineProperty(transport, "onmessage", {
    get: () => (receive === undefined ? undefined : pass),
    set: (handler: Transport["onmessage"]) => {
      receive = handler;
    },
  });
}
