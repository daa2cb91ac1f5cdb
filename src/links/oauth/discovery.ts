// Finds out where one signs in, and checks it. A server names the authorization server that it trusts; that server publishes its addresses.
// Both are strangers, so whatever does not fit exactly is refused before a person sees an address. Loads the SDK.

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { SysError } from "../../abi/errno.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import { needReachable, type OAuthFetch, type WirePorts, type WireRules } from "./wire.ts";

/** What a server said when it refused a request. */
export interface Challenge {
  /** `scope`: the token is good, but allows too little. */
  readonly kind: "login" | "scope";
  readonly resourceMetadataUrl: string | null;
  readonly scope: string | null;
}

export interface Published {
  readonly metadata: AuthorizationServerMetadata;
  readonly resource: string | null;
  /** Scopes that the server says exist for it. */
  readonly resourceScopes: readonly string[];
}

export interface DiscoveryPorts {
  readonly wire: WirePorts;
  readonly rules: WireRules;
  readonly fetch: OAuthFetch;
}

/** For a server that refuses requests without a token. */
export async function publishedFor(
  ports: DiscoveryPorts,
  server: string,
  challenge: Challenge | null,
): Promise<Published> {
  const about = await resourceMetadata(ports.fetch, server, challenge);
  const [named] = about?.authorization_servers ?? [];
  // Before there was a document about resources, a server was its own authorization server.
  const issuer = named ?? new URL(server).origin;
  const metadata = await publishedBy(ports, issuer);
  return {
    metadata,
    resource: about?.resource ?? canonical(server),
    resourceScopes: about?.scopes_supported ?? [],
  };
}

/** What an issuer publishes about itself. */
export async function publishedBy(ports: DiscoveryPorts, issuer: string): Promise<AuthorizationServerMetadata> {
  await needReachable(ports.wire, ports.rules, issuer);
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: ports.fetch }).catch(
    (error: unknown) => {
      throw published(issuer, error);
    },
  );
  if (metadata === undefined)
    throw new SysError("EPROTO", `${shown(issuer)} does not publish how to sign in`, [
      "if you know the addresses: gsv oauth start NAME --authorize URL --token URL --client-id ID",
    ]);
  if (metadata.issuer !== issuer)
    throw new SysError("EPERM", `${shown(issuer)} says that it is ${clip(reveal(metadata.issuer))}; nothing was sent`);
  if (!metadata.code_challenge_methods_supported?.includes("S256"))
    throw new SysError("EPROTO", `${shown(issuer)} does not support PKCE with S256, which gsv needs`);
  for (const address of addressesOf(metadata)) await needReachable(ports.wire, ports.rules, address);
  return metadata;
}

/** null if the server has none. */
async function resourceMetadata(
  fetch: OAuthFetch,
  server: string,
  challenge: Challenge | null,
): Promise<OAuthProtectedResourceMetadata | null> {
  let status = 0;
  const watched: OAuthFetch = async (url, init) => {
    const response = await fetch(url, init);
    status = response.status;
    return response;
  };
  const { resourceMetadataUrl } = challenge ?? { resourceMetadataUrl: null };
  const options = resourceMetadataUrl === null ? {} : { resourceMetadataUrl: new URL(resourceMetadataUrl) };
  try {
    const found = await discoverOAuthProtectedResourceMetadata(server, options, watched);
    if (!checkResourceAllowed({ requestedResource: canonical(server), configuredResource: found.resource }))
      throw new SysError("EPERM", `${shown(server)} says that it is ${clip(reveal(found.resource))}; nothing was sent`);
    return found;
  } catch (error) {
    const isAbsent = status >= 400 && status < 500 && resourceMetadataUrl === null;
    if (!(error instanceof SysError) && isAbsent) return null;
    throw published(server, error);
  }
}

function addressesOf(metadata: AuthorizationServerMetadata): readonly string[] {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  const more = [revocationOf(metadata), deviceOf(metadata), registration_endpoint];
  return [authorization_endpoint, token_endpoint, ...more.filter((address) => typeof address === "string")];
}

export function revocationOf(metadata: AuthorizationServerMetadata): string | null {
  return textOf(metadata, "revocation_endpoint");
}

export function deviceOf(metadata: AuthorizationServerMetadata): string | null {
  return textOf(metadata, "device_authorization_endpoint");
}

function textOf(metadata: object, name: string): string | null {
  const value = (metadata as { readonly [name: string]: unknown })[name];
  return typeof value === "string" ? value : null;
}

/** RFC 8707: without a fragment. */
function canonical(server: string): string {
  const url = new URL(server);
  url.hash = "";
  return url.href;
}

function shown(address: string): string {
  return URL.parse(address)?.host ?? clip(reveal(address));
}

function published(address: string, error: unknown): Error {
  if (error instanceof SysError) return error;
  // The SDK's own text quotes what it read.
  return new SysError("EPROTO", `${shown(address)} publishes nothing usable about signing in`);
}
