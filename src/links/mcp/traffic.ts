// What passes between gsv and an MCP server besides calls and answers: so many messages of its own a server may send in a second, and roots are
// offered to servers of the older protocol only.

import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { Clock } from "../../lib/clock.ts";

type Message = { readonly [name: string]: unknown };

export const NOTICES_PER_SECOND = 200;
/** Each may become work: a ping is answered, a question is shown. */
const REQUESTS_PER_SECOND = 50;
const SECOND_MS = 1000;
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

export class Traffic {
  private began = Number.NEGATIVE_INFINITY;
  private notices = 0;
  private requests = 0;

  constructor(private readonly clock: Pick<Clock, "mono">) {}

  /** False for a message over the limit: it is dropped. Answers always pass. */
  passes(message: object): boolean {
    const { method, id } = message as Message;
    if (method === undefined) return true;
    const now = this.clock.mono();
    if (now - this.began >= SECOND_MS) [this.began, this.notices, this.requests] = [now, 0, 0];
    return id === undefined ? ++this.notices <= NOTICES_PER_SECOND : ++this.requests <= REQUESTS_PER_SECOND;
  }
}

/** In the newer protocol each message says what gsv can do. */
export function sentTo<M extends JSONRPCMessage>(message: M): M {
  const { params } = message as { readonly params?: { readonly _meta?: Message } };
  const declared = params?._meta?.[CAPABILITIES];
  if (typeof declared !== "object" || declared === null) return message;
  const { roots: _roots, ...rest } = declared as Message;
  return { ...message, params: { ...params, _meta: { ...params?._meta, [CAPABILITIES]: rest } } };
}
