// Who gsv is for an authorization server: the client id that a person gave, gsv's own document, or one that the server gives out now. An id
// belongs to one issuer and is never shown to another. Loads the SDK.

import { type AuthorizationServerMetadata, registerClient } from "@modelcontextprotocol/client";
import { SysError } from "../../abi/errno.ts";
import type { OAuthAbout } from "../../store/kernel/links/oauth.ts";
import type { OAuthFetch } from "./wire.ts";

export interface OAuthClient {
  readonly id: string;
  readonly secret: string | null;
  /** How it identifies itself, if that was agreed. */
  readonly auth: string | null;
  readonly kind: OAuthAbout["client"];
}

export interface ClientWanted {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The client of an earlier sign-in at the same issuer. */
  readonly known: OAuthClient | null;
  /** The setting oauth.clientMetadataUrl. */
  readonly document: string;
  /** null with a device code. */
  readonly redirectUri: string | null;
  readonly scope: string | null;
}

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** Never used: a registration must name one. */
const NO_REDIRECT = "http://127.0.0.1/oauth/callback";

export async function clientFor(
  fetch: OAuthFetch,
  metadata: AuthorizationServerMetadata,
  wanted: ClientWanted,
): Promise<OAuthClient> {
  const { clientId, clientSecret, known, document } = wanted;
  if (clientId !== null) return { id: clientId, secret: clientSecret, auth: null, kind: "static" };
  if (known?.kind === "static") return known;
  if (document !== "" && metadata.client_id_metadata_document_supported === true)
    return { id: documentUrl(document), secret: null, auth: "none", kind: "document" };
  if (metadata.registration_endpoint === undefined)
    throw new SysError("EAUTH", `${new URL(metadata.issuer).host} does not register clients by itself`, [
      "register gsv there, then give its id: --client-id ID",
    ]);
  return await registered(fetch, metadata, wanted);
}

async function registered(
  fetch: OAuthFetch,
  metadata: AuthorizationServerMetadata,
  { redirectUri, scope }: ClientWanted,
): Promise<OAuthClient> {
  const auth = preferredAuth(metadata.token_endpoint_auth_methods_supported);
  const grants = redirectUri === null ? [DEVICE_GRANT] : ["authorization_code"];
  try {
    const client = await registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        ...{ client_name: "gsv", application_type: "native", redirect_uris: [redirectUri ?? NO_REDIRECT] },
        ...{ grant_types: [...grants, "refresh_token"], response_types: redirectUri === null ? [] : ["code"] },
        ...(auth !== null && { token_endpoint_auth_method: auth }),
      },
      ...(scope !== null && { scope }),
      fetchFn: fetch,
    });
    const { client_id: id, client_secret: secret = null, token_endpoint_auth_method: agreed = auth } = client;
    return { id, secret, auth: agreed, kind: "registered" };
  } catch (error) {
    if (error instanceof SysError) throw error;
    throw new SysError("EAUTH", `${new URL(metadata.issuer).host} did not register gsv`, [
      "register gsv there, then give its id: --client-id ID",
    ]);
  }
}

/** A program on a person's computer keeps no secret well: none is asked for where the server allows that. */
function preferredAuth(methods: readonly string[] | undefined): string | null {
  if (methods === undefined) return null;
  return ["none", "client_secret_basic", "client_secret_post"].find((method) => methods.includes(method)) ?? null;
}

function documentUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" && url.pathname !== "/" && url.href === text) return text;
  throw new SysError("ECONFIG", "oauth.clientMetadataUrl is not an https address of a document", [
    "gsv config unset oauth.clientMetadataUrl",
  ]);
}
