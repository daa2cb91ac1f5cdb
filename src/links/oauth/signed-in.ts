// Requests to an MCP server with the token of the account that a person signed in with. Loads the SDK.

import type { Challenge } from "./discovery.ts";
import { challengeOf } from "./probe.ts";

export interface HttpLogin {
  /** `rejected`: the server did not accept this one. */
  token(rejected: string | null): Promise<string | null>;
  refused(challenge: Challenge): Promise<void>;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A token that the server refuses is looked up again, and renewed, before a person is asked. No other origin gets one. */
export function signedIn(plain: Fetch, origin: string, login: HttpLogin): Fetch {
  return async (url, init) => {
    if (new URL(url).origin !== origin) return await plain(url, init);
    const signal = init?.signal;
    const send = (token: string | null) => plain(url, token === null ? init : withToken(init, token));
    const token = await unlessAborted(login.token(null), signal);
    let response = await send(token);
    const next = response.status === 401 && token !== null ? await unlessAborted(login.token(token), signal) : null;
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

/** A renewal serves others too: it continues without this request. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return await work;
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason);
  signal.addEventListener("abort", leave);
  try {
    if (signal.aborted) leave();
    return await Promise.race([work, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
