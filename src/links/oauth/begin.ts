// Begins a sign-in: who the service is, who gsv is there, and the address or code for the person. Nothing secret leaves here but in the flow's
// own secret. Loads the SDK.

import { type AuthorizationServerMetadata, startAuthorization } from "@modelcontextprotocol/client";
import { SysError } from "../../abi/errno.ts";
import type { OAuthDevice, OAuthKind } from "../../abi/links/oauth.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { OAuthAbout } from "../../store/kernel/links/oauth.ts";
import { clientFor, type OAuthClient } from "./client.ts";
import {
  type Challenge,
  type DiscoveryPorts,
  deviceOf,
  type Published,
  publishedBy,
  publishedFor,
  revocationOf,
} from "./discovery.ts";
import { knownWord, metadataOf, post } from "./request.ts";
import type { OAuthSecret } from "./vault.ts";
import { needReachable } from "./wire.ts";

export interface SignInWanted {
  readonly kind: OAuthKind;
  /** Of an MCP server. */
  readonly server: { readonly url: string; readonly challenge: Challenge | null } | null;
  readonly issuer: string | null;
  readonly authorize: string | null;
  readonly token: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The client of the account that is signed in again, and the issuer that it belongs to. */
  readonly known: { readonly issuer: string; readonly client: OAuthClient } | null;
  readonly document: string;
  readonly scope: string | null;
  /** Asked for besides. */
  readonly grantedScope: string | null;
  readonly resource: string | null;
  /** null: with a device code. */
  readonly redirectUri: string | null;
  readonly callbackPort: number | null;
  readonly extra: { readonly [name: string]: string };
}

export interface Begun {
  readonly about: OAuthAbout;
  readonly clientId: string;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly secret: OAuthSecret;
  readonly url: string | null;
  readonly device: (OAuthDevice & { readonly intervalMs: number; readonly expiresInMs: number }) | null;
}

/** Parameters that belong to gsv. */
const RESERVED = new Set([
  ...["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
  ...["resource", "request", "request_uri", "response_mode", "nonce"],
]);
const DEVICE_INTERVAL_S = 5;
const DEVICE_INTERVAL_S_MAX = 60;

export async function begin(ports: DiscoveryPorts, wanted: SignInWanted, state: string): Promise<Begun> {
  const reserved = Object.keys(wanted.extra).find((name) => RESERVED.has(name));
  if (reserved !== undefined) throw new SysError("EINVAL", `${reserved} is set by gsv`);
  const { metadata, resource, resourceScopes } = await published(ports, wanted);
  const scope = scopeOf(wanted, metadata, resourceScopes);
  const { issuer } = metadata;
  const known = wanted.known?.issuer === issuer ? wanted.known.client : null;
  const client = await clientFor(ports.fetch, metadata, { ...wanted, known, scope });
  const about = aboutOf(ports, wanted, { metadata, client });
  const base = { about, clientId: client.id, scope, resource };
  const clientSecret = client.secret === null ? {} : { clientSecret: client.secret };
  if (wanted.redirectUri === null) {
    const { code, ...device } = await deviceCode(ports, metadata, { ...base, clientSecret: client.secret });
    return { ...base, secret: { ...clientSecret, deviceCode: code }, url: null, device };
  }
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata: metadataOf(about),
    clientInformation: { client_id: client.id },
    redirectUrl: wanted.redirectUri,
    ...(scope !== null && { scope }),
    state,
    ...(resource !== null && { resource }),
  });
  for (const [name, value] of Object.entries(wanted.extra)) authorizationUrl.searchParams.set(name, value);
  return { ...base, secret: { ...clientSecret, verifier: codeVerifier }, url: authorizationUrl.href, device: null };
}

async function published(ports: DiscoveryPorts, wanted: SignInWanted): Promise<Published> {
  const { server, issuer, authorize, token, resource } = wanted;
  if (issuer !== null) {
    const metadata = await publishedBy(ports, issuer);
    return { metadata, resource: resource ?? server?.url ?? null, resourceScopes: [] };
  }
  if (authorize !== null && token !== null) {
    for (const address of [authorize, token]) await needReachable(ports.wire, ports.rules, address);
    const metadata = {
      ...{ issuer: new URL(token).origin, authorization_endpoint: authorize, token_endpoint: token },
      ...{ response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] },
    } as AuthorizationServerMetadata;
    return { metadata, resource: resource ?? server?.url ?? null, resourceScopes: [] };
  }
  if (server === null)
    throw new SysError("EUSAGE", "where to sign in is missing", [
      "give --issuer URL, or --authorize URL with --token URL and --client-id ID",
    ]);
  return await publishedFor(ports, server.url, server.challenge);
}

/** Those that were asked for, and those that the account already has: a server may grant only what one request names. */
function scopeOf(
  { scope, server, grantedScope }: SignInWanted,
  metadata: AuthorizationServerMetadata,
  resourceScopes: readonly string[],
): string | null {
  const asked = scope ?? server?.challenge?.scope ?? (resourceScopes.length > 0 ? resourceScopes.join(" ") : null);
  if (asked === null) return null;
  const offline = metadata.scopes_supported?.includes("offline_access") === true ? ["offline_access"] : [];
  const words = [grantedScope ?? "", asked].flatMap((text) => text.split(/\s+/)).filter((word) => word !== "");
  return [...new Set([...words, ...offline])].join(" ");
}

function aboutOf(
  { rules }: DiscoveryPorts,
  { server, authorize, issuer, callbackPort }: SignInWanted,
  { metadata, client }: { readonly metadata: AuthorizationServerMetadata; readonly client: OAuthClient },
): OAuthAbout {
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    revocationEndpoint: revocationOf(metadata),
    namesItself: metadata.authorization_response_iss_parameter_supported === true,
    isPublished: authorize === null || issuer !== null,
    authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
    ...{ clientAuth: client.auth, client: client.kind, server: server?.url ?? null },
    ...{ loopback: rules.loopback, callbackPort },
  };
}

/** RFC 8628. */
async function deviceCode(
  { fetch, wire, rules }: DiscoveryPorts,
  metadata: AuthorizationServerMetadata,
  party: Omit<Begun, "secret" | "url" | "device"> & { readonly clientSecret: string | null },
): Promise<NonNullable<Begun["device"]> & { readonly code: string }> {
  const address = deviceOf(metadata);
  const host = new URL(metadata.issuer).host;
  if (address === null) throw new SysError("EPROTO", `${host} has no device codes`, ["leave --device out"]);
  const { scope, resource } = party;
  const fields = { ...(scope !== null && { scope }), ...(resource !== null && { resource }) };
  const { status, body } = await post(fetch, party, { address, fields });
  if (status !== 200) throw new SysError("EAUTH", `${host} gave no device code (${knownWord(body.error)})`);
  const { device_code: code, user_code: userCode, verification_uri: url, verification_uri_complete: full } = body;
  if (typeof code !== "string" || typeof userCode !== "string" || typeof url !== "string")
    throw new SysError("EPROTO", `${host} gave no usable device code`);
  await needReachable(wire, rules, url);
  if (typeof full === "string") await needReachable(wire, rules, full);
  const seconds = (value: unknown, fallback: number) => (Number(value) > 0 ? Number(value) : fallback);
  return {
    ...{ code, url, userCode: clip(reveal(userCode)), fullUrl: typeof full === "string" ? full : null },
    intervalMs: Math.min(DEVICE_INTERVAL_S_MAX, seconds(body.interval, DEVICE_INTERVAL_S)) * 1000,
    expiresInMs: seconds(body.expires_in, 600) * 1000,
  };
}
