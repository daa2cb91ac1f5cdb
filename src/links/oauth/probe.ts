// How a server refuses a request without a token: the refusal names the document about signing in, and the scopes. Loads the SDK.

import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { SysError } from "../../abi/errno.ts";
import type { Challenge } from "./discovery.ts";
import type { OAuthFetch } from "./wire.ts";

const FIRST_REQUEST = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "gsv", version: "0" } },
};

/** null if the server does not ask for a token. */
export async function probe(fetch: OAuthFetch, server: string): Promise<Challenge | null> {
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  try {
    return challengeOf(await fetch(server, { method: "POST", headers, body: JSON.stringify(FIRST_REQUEST) }));
  } catch (error) {
    // An address that may not be reached; otherwise the documents may still be there.
    if (error instanceof SysError && error.code === "EPERM") throw error;
    return null;
  }
}

/** null if the response is no refusal that a sign-in could end. */
export function challengeOf(response: Response): Challenge | null {
  const { resourceMetadataUrl, scope = null, error } = extractWWWAuthenticateParams(response);
  const isScope = response.status === 403 && error === "insufficient_scope";
  if (response.status !== 401 && !isScope) return null;
  return { kind: isScope ? "scope" : "login", resourceMetadataUrl: resourceMetadataUrl?.href ?? null, scope };
}
