// Requests to an authorization server as it was when a person signed in, and what it answers. No text of an answer is shown: it may quote a
// token. Loads the SDK.

import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  OAuthError,
  refreshAuthorization,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { SysError } from "../../abi/errno.ts";
import { jsonObject } from "../../lib/json-object.ts";
import type { OAuthAbout } from "../../store/kernel/links/oauth.ts";
import type { OAuthFetch } from "./wire.ts";

/** A client at a server. */
export interface Party {
  readonly about: OAuthAbout;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly resource: string | null;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  readonly expiresInS: number | null;
  readonly scope: string | null;
}

/** The server refused, in a word of the standard. */
export class Refused extends Error {
  constructor(readonly word: string) {
    super(word);
  }
}

/** Words that a server may refuse with. Any other is not shown. */
const WORDS = new Set([
  ...["invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type"],
  ...["invalid_scope", "invalid_target", "access_denied", "server_error", "temporarily_unavailable"],
  ...["authorization_pending", "slow_down", "expired_token", "unsupported_response_type", "interaction_required"],
  ...["login_required", "consent_required", "unmet_authentication_requirements"],
]);

export function knownWord(word: unknown): string {
  return typeof word === "string" && WORDS.has(word) ? word : "unknown error";
}

export async function tokensForCode(
  fetch: OAuthFetch,
  party: Party,
  answer: {
    readonly code: string;
    readonly iss: string | undefined;
    readonly verifier: string;
    readonly redirectUri: string;
  },
): Promise<Tokens> {
  const { code: authorizationCode, iss, verifier: codeVerifier, redirectUri } = answer;
  return await answered(party, () =>
    exchangeAuthorization(party.about.issuer, {
      ...sdkParty(fetch, party),
      ...{ authorizationCode, codeVerifier, redirectUri },
      ...(iss !== undefined && { iss }),
    }),
  );
}

export async function renewedTokens(fetch: OAuthFetch, party: Party, refreshToken: string): Promise<Tokens> {
  return await answered(party, () =>
    refreshAuthorization(party.about.issuer, { ...sdkParty(fetch, party), refreshToken }),
  );
}

/** Best effort: a server that does not answer keeps nothing from being forgotten. */
export async function revoke(fetch: OAuthFetch, party: Party, token: string): Promise<boolean> {
  const { revocationEndpoint } = party.about;
  if (revocationEndpoint === null) return false;
  const { status } = await post(fetch, party, { address: revocationEndpoint, fields: { token } }).catch(() => ({
    status: 0,
  }));
  return status === 200;
}

/** A form that the client identifies itself with. */
export async function post(
  fetch: OAuthFetch,
  { about, clientId, clientSecret }: Party,
  { address, fields }: { readonly address: string; readonly fields: { readonly [name: string]: string } },
): Promise<{ readonly status: number; readonly body: { readonly [key: string]: unknown } }> {
  const form = new URLSearchParams(fields);
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  const method = selectClientAuthMethod(clientOf(clientId, clientSecret, about), [...about.authMethods]);
  if (method === "client_secret_basic" && clientSecret !== null)
    headers.set(
      "authorization",
      `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
    );
  else {
    form.set("client_id", clientId);
    if (method === "client_secret_post" && clientSecret !== null) form.set("client_secret", clientSecret);
  }
  const response = await fetch(address, { method: "POST", headers, body: form.toString() });
  return { status: response.status, body: jsonObject(await response.text()) ?? {} };
}

/** From the answer of a token endpoint. */
export function tokensFrom(party: Pick<Party, "about">, body: { readonly [key: string]: unknown }): Tokens {
  const { access_token: access, token_type: type, refresh_token: refresh, expires_in: expires, scope } = body;
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  if (typeof access !== "string" || !isBearer || !/^[\x21-\x7e]+$/.test(access)) throw unusable(party);
  const seconds = Number(expires);
  return {
    access,
    refresh: typeof refresh === "string" && refresh !== "" ? refresh : null,
    expiresInS: expires !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : null,
    scope: typeof scope === "string" ? scope : null,
  };
}

async function answered(party: Party, request: () => Promise<object>): Promise<Tokens> {
  try {
    return tokensFrom(party, (await request()) as { readonly [key: string]: unknown });
  } catch (error) {
    if (error instanceof SysError) throw error;
    if (error instanceof OAuthError && WORDS.has(error.code) && error.code !== "server_error")
      throw new Refused(error.code);
    throw unusable(party);
  }
}

function sdkParty(fetch: OAuthFetch, { about, clientId, clientSecret, resource }: Party) {
  return {
    metadata: metadataOf(about),
    clientInformation: clientOf(clientId, clientSecret, about),
    ...(resource !== null && { resource }),
    fetchFn: fetch,
  };
}

function clientOf(client_id: string, clientSecret: string | null, { clientAuth }: OAuthAbout) {
  return {
    client_id,
    ...(clientSecret !== null && { client_secret: clientSecret }),
    ...(clientAuth !== null && { token_endpoint_auth_method: clientAuth }),
  };
}

export function metadataOf(about: OAuthAbout): AuthorizationServerMetadata {
  return {
    issuer: about.issuer,
    authorization_endpoint: about.authorizationEndpoint ?? about.tokenEndpoint,
    token_endpoint: about.tokenEndpoint,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: [...about.authMethods],
    authorization_response_iss_parameter_supported: about.namesItself,
  } as AuthorizationServerMetadata;
}

function unusable({ about }: Pick<Party, "about">): SysError {
  return new SysError("EPROTO", `${new URL(about.tokenEndpoint).host} gave no usable token`);
}
