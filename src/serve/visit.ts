// One request that the door let in, as its handler gets it. No handler reads a body by itself: here are the limits.

import type { Server } from "bun";
import { SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import type { ClientInfo, Sys } from "../abi/sys.ts";
import { bytesMaxOf, type Entry } from "./door.ts";
import { problem } from "./rest.ts";
import type { Found, Route, ServeHost, Visit } from "./route.ts";
import type { Visitor } from "./websocket.ts";

export interface VisitPorts {
  readonly listening: Server<Visitor>;
  readonly version: string;
  readonly isLeaving: boolean;
  readonly host: ServeHost;
  readonly routes: readonly Route[];
  readonly left: AbortSignal;
  readonly closing: AbortSignal;
  readonly accept: (client: ClientInfo, login: Credentials, peer: string) => Promise<Sys>;
}

/** Renewed with each piece of a body. Timers of Bun tick every 4 s. */
const PIECE_S = 8;

export function visitOf(
  request: Request,
  { route, params, entry }: Found & { readonly entry: Entry },
  { listening, version, isLeaving, host, routes, left, closing, accept }: VisitPorts,
): Visit {
  const peer = peerOf(listening.requestIP(request)?.address);
  const client = { clientId: `http ${peer}`, version, cwd: "/", env: {} };
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
    ...{ request, params, peer, isLeaving, version, host, routes, left, closing, pieces, url: new URL(request.url) },
    async open(credentials) {
      const own = entry.kind === "bearer" ? { token: entry.token } : null;
      const login = credentials ?? own;
      if (login === null) throw new SysError("EAUTH", "this route needs no account, and has none");
      return await accept(client, login, peer);
    },
    async object() {
      const parts: Uint8Array[] = [];
      for await (const piece of pieces()) parts.push(piece);
      return objectIn(Buffer.concat(parts).toString());
    },
    unlimited: () => listening.timeout(request, 0),
    upgrade() {
      const token = entry.kind === "bearer" ? entry.token : "";
      if (listening.upgrade(request, { data: { token, peer, connection: null } })) return undefined;
      return problem(400, "EPROTO", "the websocket handshake is not complete");
    },
  };
}

/** One spelling for each address, so that limits count it once. */
function peerOf(address: string | undefined): string {
  return (address ?? "unknown").replace(/^::ffff:/i, "");
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
