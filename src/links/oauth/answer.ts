// The end of a sign-in: the answer that came with the browser, or the wait for a device code. Loads the SDK.

import { SysError } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import { sameHash, sha256Hex } from "../../lib/hash.ts";
import type { OAuthFlowRow } from "../../store/kernel/links/oauth.ts";
import { DEVICE_GRANT } from "./client.ts";
import { knownWord, type Party, post, Refused, type Tokens, tokensForCode, tokensFrom } from "./request.ts";
import { partyOf } from "./tokens.ts";
import type { OAuthSecret } from "./vault.ts";
import type { OAuthFetch } from "./wire.ts";

/** The parameters of a redirect, each at most once. */
export interface Callback {
  readonly state: string;
  readonly code: string | null;
  readonly error: string | null;
  readonly iss: string | null;
}

const SLOWER_MS = 5000;

export function callbackFrom(text: string): Callback {
  const query = text.includes("?") ? text.slice(text.indexOf("?") + 1) : text;
  const params = new URLSearchParams(query.split("#")[0]?.trim() ?? "");
  const one = (name: string) => {
    const all = params.getAll(name);
    if (all.length > 1) throw notOurs();
    return all[0] ?? null;
  };
  const [state, code, error, iss] = [one("state"), one("code"), one("error"), one("iss")];
  if (state === null || (code === null && error === null)) throw notOurs();
  return { state, code, error, iss };
}

/** Throws without a word of what came: it may come from anyone. */
export function needState({ stateHash }: OAuthFlowRow, { state }: Callback): void {
  if (!sameHash(stateHash, sha256Hex(state))) throw notOurs();
}

export async function tokensFromCallback(
  fetch: OAuthFetch,
  flow: OAuthFlowRow,
  { secret, callback }: { readonly secret: OAuthSecret; readonly callback: Callback },
): Promise<Tokens> {
  const { issuer, namesItself, isPublished } = flow.about;
  // An answer of another server must not be taken for one of this: nothing of it is used or shown.
  const isOther = callback.iss === null ? namesItself : isPublished && callback.iss !== issuer;
  if (isOther) throw new SysError("EPERM", `the answer does not come from ${new URL(issuer).host}; nothing was sent`);
  if (callback.code === null) throw refusedBy(issuer, callback.error);
  const { verifier } = secret;
  if (verifier === undefined || flow.redirectUri === null) throw notOurs();
  const iss = isPublished ? (callback.iss ?? undefined) : undefined;
  const answer = { code: callback.code, iss, verifier, redirectUri: flow.redirectUri };
  try {
    return await tokensForCode(fetch, partyOf(flow, secret), answer);
  } catch (error) {
    throw error instanceof Refused ? refusedBy(issuer, error.word) : error;
  }
}

/** Until the person has entered the code, or has refused, or left. */
export async function tokensFromDevice(
  { fetch, clock, signal }: { readonly fetch: OAuthFetch; readonly clock: Clock; readonly signal: AbortSignal },
  flow: OAuthFlowRow,
  secret: OAuthSecret,
): Promise<Tokens> {
  const party: Party = partyOf(flow, secret);
  const { issuer, tokenEndpoint: address } = flow.about;
  const fields = {
    ...{ grant_type: DEVICE_GRANT, device_code: secret.deviceCode ?? "" },
    ...(flow.resource !== null && { resource: flow.resource }),
  };
  let waitMs = flow.intervalMs ?? SLOWER_MS;
  for (;;) {
    await clock.sleep(waitMs, signal);
    if (signal.aborted) throw new SysError("ECANCELED", "the sign-in was cancelled");
    if (clock.now() >= flow.expiresAt) throw expired();
    const { status, body } = await post(fetch, party, { address, fields });
    if (status === 200) return tokensFrom(party, body);
    if (body.error === "slow_down") waitMs += SLOWER_MS;
    else if (body.error === "expired_token") throw expired();
    else if (body.error !== "authorization_pending") throw refusedBy(issuer, body.error);
  }
}

export function expired(): SysError {
  return new SysError("ESTALE", "this sign-in has expired or is over", ["begin it again"]);
}

function refusedBy(issuer: string, word: unknown): SysError {
  const { host } = new URL(issuer);
  return word === "access_denied"
    ? new SysError("EAUTH", `access was denied at ${host}`)
    : new SysError("EAUTH", `${host} refused the sign-in (${knownWord(word)})`);
}

function notOurs(): SysError {
  return new SysError("EPERM", "this answer does not belong to the sign-in; nothing was sent");
}
