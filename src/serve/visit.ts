// One request that the door let in, as its handler gets it. No handler reads a body by itself: here are the limits.

import type { Server } from "bun";
import { SysError } from "../abi/errno.ts";
import type { Arrival, Credentials, Entered, EntryRequest } from "../abi/identity.ts";
import { type ClientInfo, NO_DIRECTORY, type ProtocolRange, type Sys } from "../abi/sys.ts";
import { sha256Hex } from "../lib/hash.ts";
import { PROTOCOL } from "../rpc/protocol.ts";
import { arrivalOf } from "./arrival.ts";
import { bytesMaxOf, type Entry } from "./door.ts";
import { problem } from "./rest.ts";
import type { Found, Route, ServeHost, Visit } from "./route.ts";
import type { Visitor } from "./websocket.ts";

export interface VisitPorts {
  readonly listening: Server<Visitor>;
  readonly version: string;
  readonly protocol?: ProtocolRange;
  readonly isLeaving: boolean;
  readonly host: ServeHost;
  readonly routes: readonly Route[];
  readonly left: AbortSignal;
  readonly closing: AbortSignal;
  readonly peer: string;
  readonly isSecure: boolean;
  readonly cookie: string;
  readonly accept: (client: ClientInfo, login: Credentials, arrival: Arrival) => Promise<Sys>;
  readonly enter: (request: EntryRequest, arrival: Arrival) => Promise<Entered>;
}

/** Renewed with each piece of a body. Timers of Bun tick every 4 s. */
const PIECE_S = 8;

export function visitOf(
  request: Request,
  { route, params, entry }: Found & { readonly entry: Entry },
  ports: VisitPorts,
): Visit {
  const { listening, version, protocol = PROTOCOL, peer, accept, enter } = ports;
  const purpose = route.who === "metrics" ? "metrics" : "account";
  const arrival = arrivalOf(peer, request.headers.get("user-agent"), purpose);
  const ended = new AbortController();
  const client = { clientId: `http ${peer}`, version, cwd: NO_DIRECTORY, env: {} };
  const most = bytesMaxOf(route);

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    if (request.body === null) return;
    for await (const piece of request.body) {
      bytes += piece.length;
      if (bytes > most) throw new SysError("EFBIG", `the body is longer than ${most} bytes`);
      if (route.body === "bytes") listening.timeout(request, PIECE_S);
      yield piece;
    }
  }

  return {
    ...{ request, params, pieces, url: new URL(request.url), ended: ended.signal },
    ...{ peer, version, protocol, isLeaving: ports.isLeaving, isSecure: ports.isSecure, cookie: ports.cookie },
    ...{ host: ports.host, routes: ports.routes, left: ports.left, closing: ports.closing },
    async open(allow) {
      const limits = allow === undefined ? {} : { allow };
      return await accept(client, credentialsOf(entry), { ...arrival, ...limits, onEnd: (why) => ended.abort(why) });
    },
    entrant: () => (entry.kind === "anonymous" ? "" : sha256Hex(entry.token)),
    enter: (asked) => enter(asked, arrival),
    async object() {
      const parts: Uint8Array[] = [];
      for await (const piece of pieces()) parts.push(piece);
      return objectIn(Buffer.concat(parts).toString());
    },
    unlimited: () => listening.timeout(request, 0),
    upgrade() {
      const { kind, token } = accountOf(entry);
      const data: Visitor = { token, isBrowser: kind === "browser", arrival, connection: null, end: null };
      if (listening.upgrade(request, { data })) return undefined;
      return problem(400, "EPROTO", "the websocket handshake is not complete");
    },
  };
}

function accountOf(entry: Entry): Exclude<Entry, { readonly kind: "anonymous" }> {
  if (entry.kind !== "anonymous") return entry;
  throw new SysError("EAUTH", "this route needs no account, and has none");
}

function credentialsOf(entry: Entry): Credentials {
  const account = accountOf(entry);
  return account.kind === "browser" ? { token: account.token, key: account.key ?? "" } : { token: account.token };
}

function objectIn(text: string): { readonly [name: string]: unknown } {
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new SysError("EINVAL", "the body is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SysError("EINVAL", "the body must be a JSON object");
  return value as { readonly [name: string]: unknown };
}
