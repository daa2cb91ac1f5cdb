// What a person asked for when a sign-in starts, checked.

import { SysError } from "../../abi/errno.ts";
import { DEFAULT_ACCOUNT, type OAuthKind } from "../../abi/links/oauth.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { OAuthAsked } from "../../syscalls/links/oauth-service.ts";
import { isLoopbackHost } from "./wire.ts";

export interface Target {
  readonly kind: OAuthKind;
  readonly name: string;
  readonly account: string;
  readonly label: string | null;
  readonly issuer: string | null;
  readonly authorize: string | null;
  readonly token: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly extra: { readonly [name: string]: string };
  readonly redirectUri: string | null;
  readonly callbackPort: number | null;
  /** Whether addresses of this computer may be reached: only if the service itself is here. */
  readonly loopback: (server: string | null) => boolean;
}

const NAME = /^[a-z][a-z0-9.-]{0,62}$/;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const REDIRECT_PATH = "/oauth/callback";

export function checkedAsked(asked: OAuthAsked): Target {
  const { kind, name, account = DEFAULT_ACCOUNT, clientId = null, clientSecret = null } = asked;
  const { issuer = null, authorize = null, token = null, scope = null, resource = null, redirectUri = null } = asked;
  if (!NAME.test(name)) throw new SysError("EINVAL", `invalid name: ${clip(name)}`, ["small letters, digits, - and ."]);
  if (!NAME.test(account))
    throw new SysError("EINVAL", `invalid account: ${clip(account)}`, ["small letters, digits, - and ."]);
  if ((authorize === null) !== (token === null))
    throw new SysError("EUSAGE", "--authorize and --token belong together");
  if (issuer !== null && authorize !== null)
    throw new SysError("EUSAGE", "give either --issuer, or --authorize and --token");
  if (authorize !== null && clientId === null)
    throw new SysError("EUSAGE", "--authorize and --token need a client id", ["--client-id ID"]);
  if (clientSecret !== null && clientId === null) throw new SysError("EUSAGE", "a client secret needs --client-id");
  if (scope !== null && !SCOPE.test(scope)) throw new SysError("EINVAL", `not a list of scopes: ${clip(scope)}`);
  if (resource !== null && (URL.parse(resource) === null || resource.includes("#")))
    throw new SysError("EINVAL", `not an address: ${clip(resource)}`);
  return {
    ...{ kind, name, account, label: asked.label ?? null, issuer, authorize, token, clientId, clientSecret },
    ...{ scope, resource, extra: extraFrom(asked.param ?? []), callbackPort: asked.port ?? null },
    redirectUri: redirectUri === null ? null : checkedRedirect(redirectUri),
    loopback(server) {
      const named = server ?? issuer ?? token;
      return named !== null && isLoopbackHost(URL.parse(named)?.hostname ?? "");
    },
  };
}

/** Only a listener on the person's own computer. */
function checkedRedirect(text: string): string {
  const url = URL.parse(text);
  const isOwn =
    url !== null &&
    url.protocol === "http:" &&
    (url.hostname === "127.0.0.1" || url.hostname === "localhost") &&
    url.port !== "" &&
    url.pathname === REDIRECT_PATH &&
    url.href === `${url.origin}${REDIRECT_PATH}`;
  if (!isOwn)
    throw new SysError("EINVAL", `not an address for the answer: ${clip(text)}`, [
      `http://127.0.0.1:PORT${REDIRECT_PATH}`,
    ]);
  return text;
}

function extraFrom(words: readonly string[]): { readonly [name: string]: string } {
  const pairs = words.map((word) => {
    const [, name = "", value = ""] = /^([A-Za-z0-9_.-]+)=(.*)$/s.exec(word) ?? [];
    if (name === "") throw new SysError("EUSAGE", "--param takes NAME=VALUE");
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}
