// OAuth accounts of people: signing in, listing, forgetting. An answer of a browser counts once, within ten minutes, and for the flow whose
// state it carries. A row never holds a token.

import { SysError } from "../../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../../abi/ids.ts";
import type { OAuthStarted } from "../../abi/links/oauth.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { OAuthAccountRow, OAuthFlowRow } from "../../store/kernel/links/oauth.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { OAuthAsked, OAuthService } from "../../syscalls/links/oauth-service.ts";
import type { Challenge } from "./discovery.ts";
import { accountNamed, oauthList, shownAccount } from "./list.ts";
import type { Tokens } from "./request.ts";
import { expiryOf, partyOf, secretOf, type TokenPorts } from "./tokens.ts";
import { checkedAsked, type Target } from "./wanted.ts";
import { oauthFetch, type WirePorts, type WireRules } from "./wire.ts";

export interface OAuthPorts extends Omit<TokenPorts, "fetchFor"> {
  readonly random: RandomBytes;
  readonly wire: WirePorts;
  /** The settings net.allow and oauth.clientMetadataUrl of an account. */
  readonly settings: (uid: number) => Promise<{ readonly allowed: readonly string[]; readonly document: string }>;
  /** The MCP server of that name. Throws if it cannot be signed in to. */
  readonly server: (
    uid: number,
    name: string,
  ) => Promise<{ readonly url: string; readonly challenge: Challenge | null }>;
  /** An account has new tokens, or none any more. */
  readonly changed: (row: OAuthAccountRow) => Promise<void>;
}

const FLOW_MS = 10 * 60_000;
const STATE_BYTES = 32;
const ACCOUNTS_MAX = 100;

export function oauthService(ports: OAuthPorts): OAuthService {
  return {
    start: (context, asked) => start(ports, context, asked),
    finish: (context, asked) => finish(ports, context, asked),
    list: oauthList(ports.rows).list,
    forget: (context, asked) => forget(ports, context, asked),
  };
}

/** Ends flows that nobody can finish any more. `afterCrash`: also those that a dead kernel was finishing. */
export async function sweepFlows({ rows, vault, clock }: OAuthPorts, afterCrash: boolean): Promise<void> {
  for (const { id } of await rows.over(clock.now(), afterCrash)) {
    await vault.removeAll(flowSecret(id));
    if ((await rows.account(id)) === null) await vault.removeAll(id);
    await rows.end(id);
  }
}

/** The fetch for an account's own traffic. */
export async function fetchFor(
  { wire, settings }: Pick<OAuthPorts, "wire" | "settings">,
  { uid, about: { loopback } }: Pick<OAuthAccountRow, "uid" | "about">,
) {
  return oauthFetch(wire, { loopback, allowed: (await settings(uid)).allowed });
}

async function start(ports: OAuthPorts, context: CallContext, asked: OAuthAsked): Promise<OAuthStarted> {
  const { rows, vault, clock, random } = ports;
  const uid = context.caller.ownerUid;
  await sweepFlows(ports, false);
  const accounts = await rows.accounts(uid);
  const target = checkedAsked(asked);
  if (accounts.length >= ACCOUNTS_MAX && accountFor(accounts, target) === undefined)
    throw new SysError("ELIMIT", `you already have ${ACCOUNTS_MAX} accounts at other services`, [
      "to delete one: gsv oauth forget NAME",
    ]);
  const state = Buffer.from(random(STATE_BYTES)).toString("base64url");
  const begun = await begunFor(ports, { uid, target, accounts, state });
  const id = uuidv7(clock.now(), random);
  const now = clock.now();
  const { about, clientId, scope, resource, url, device } = begun;
  const secret = await vault.put(flowSecret(id), null, begun.secret);
  const flow: OAuthFlowRow = {
    ...{ id, uid, kind: target.kind, provider: target.name, accountKey: target.account, label: target.label },
    ...{ clientId, scope, resource, secret, about, extra: target.extra, createdAt: now },
    ...{ stateHash: sha256Hex(state), redirectUri: target.redirectUri },
    expiresAt: now + Math.min(FLOW_MS, device?.expiresInMs ?? FLOW_MS),
    intervalMs: device?.intervalMs ?? null,
  };
  await rows.begin(flow);
  const shownDevice = device === null ? null : { userCode: device.userCode, url: device.url, fullUrl: device.fullUrl };
  return {
    ...{ flow: id, kind: flow.kind, provider: flow.provider, scope, url, device: shownDevice },
    server: about.server === null ? null : new URL(about.server).host,
    signInHost: new URL(url ?? device?.url ?? about.issuer).host,
    ...{ tokenHost: new URL(about.tokenEndpoint).host, expiresAt: flow.expiresAt },
  };
}

async function begunFor(
  ports: OAuthPorts,
  asked: {
    readonly uid: number;
    readonly target: Target;
    readonly accounts: readonly OAuthAccountRow[];
    readonly state: string;
  },
) {
  const { uid, target, accounts, state } = asked;
  const server = target.kind === "mcp-server" ? await ports.server(uid, target.name) : null;
  const { allowed, document } = await ports.settings(uid);
  const rules: WireRules = { loopback: target.loopback(server?.url ?? null), allowed };
  const account = accountFor(accounts, target);
  // What it could do before it may do again: a server that asked for more rights gets both.
  const isSame = account !== undefined && account.about.server === (server?.url ?? null);
  const known = isSame ? await knownClient(ports, account) : null;
  // Loaded here: it brings the SDK.
  const { begin } = await import("./begin.ts");
  const discovery = { wire: ports.wire, rules, fetch: oauthFetch(ports.wire, rules) };
  const challenge = server?.challenge ?? (server === null ? null : await challenged(discovery.fetch, server.url));
  const wanted = isSame && account.wantedScope !== null ? account : null;
  return await begin(
    discovery,
    {
      ...target,
      ...{ server: server === null ? null : { url: server.url, challenge }, document, known },
      scope: target.scope ?? wanted?.wantedScope ?? null,
      grantedScope: wanted?.scope ?? null,
    },
    state,
  );
}

/** The account that the sign-in is for, if it is there already. */
function accountFor(
  accounts: readonly OAuthAccountRow[],
  { kind, name, account }: Target,
): OAuthAccountRow | undefined {
  return accounts.find((row) => row.kind === kind && row.provider === name && row.accountKey === account);
}

async function knownClient({ vault }: OAuthPorts, { id, secret, clientId, about }: OAuthAccountRow) {
  const { clientSecret = null } = await vault.read(id, secret).catch(() => ({ clientSecret: undefined }));
  const client = { id: clientId, secret: clientSecret, auth: about.clientAuth, kind: about.client };
  return { issuer: about.issuer, client };
}

async function challenged(fetch: ReturnType<typeof oauthFetch>, url: string): Promise<Challenge | null> {
  const { probe } = await import("./probe.ts");
  return await probe(fetch, url);
}

async function finish(
  ports: OAuthPorts,
  context: CallContext,
  { flow: id, callback: text }: { readonly flow: string; readonly callback?: string },
) {
  const { rows, vault, clock } = ports;
  const { callbackFrom, expired, needState, tokensFromCallback, tokensFromDevice } = await import("./answer.ts");
  const flow = await rows.flow(id);
  if (flow === null || flow.uid !== context.caller.ownerUid || flow.expiresAt <= clock.now()) throw expired();
  const callback = text === undefined ? null : callbackFrom(text);
  if ((callback === null) !== (flow.redirectUri === null))
    throw new SysError(
      "EUSAGE",
      callback === null ? "the answer of the browser is missing" : "this sign-in has no answer",
    );
  if (callback !== null) needState(flow, callback);
  if (!(await rows.claim(id, { stateHash: flow.stateHash, now: clock.now() }))) throw expired();
  try {
    const secret = await vault.read(flowSecret(id), flow.secret);
    const fetch = await fetchFor(ports, flow);
    const tokens =
      callback === null
        ? await tokensFromDevice({ fetch, clock, signal: context.gone ?? context.signal }, flow, secret)
        : await tokensFromCallback(fetch, flow, { secret, callback });
    const row = await stored(ports, flow, { tokens, clientSecret: secret.clientSecret });
    await ports.changed(row);
    return shownAccount(row);
  } finally {
    await rows.end(id);
    await vault.removeAll(flowSecret(id));
  }
}

async function stored(
  { rows, vault, clock }: OAuthPorts,
  flow: OAuthFlowRow,
  { tokens, clientSecret }: { readonly tokens: Tokens; readonly clientSecret: string | undefined },
): Promise<OAuthAccountRow> {
  const { uid, kind, provider, accountKey } = flow;
  const before = (await rows.accounts(uid)).find(
    (row) => row.kind === kind && row.provider === provider && row.accountKey === accountKey,
  );
  const id = before?.id ?? flow.id;
  const secret = await vault.put(
    id,
    before?.secret ?? null,
    secretOf(tokens, clientSecret === undefined ? {} : { clientSecret }),
  );
  const now = clock.now();
  const row: OAuthAccountRow = {
    ...{ id, uid, kind, provider, accountKey, label: flow.label ?? before?.label ?? null },
    ...{
      clientId: flow.clientId,
      scope: tokens.scope ?? flow.scope,
      resource: flow.resource,
      secret,
      about: flow.about,
    },
    ...{ tokenType: "Bearer", isRenewed: tokens.refresh !== null, expiresAt: expiryOf(tokens, clock) },
    ...{ createdAt: before?.createdAt ?? now, updatedAt: now, lastUsedAt: before?.lastUsedAt ?? null },
    ...{ needsLogin: false, wantedScope: null },
  };
  await rows.finish(row, flow.id);
  if (before !== undefined) await vault.remove(id, before.secret);
  return row;
}

async function forget(
  ports: OAuthPorts,
  context: CallContext,
  asked: Parameters<OAuthService["forget"]>[1],
): ReturnType<OAuthService["forget"]> {
  const row = accountNamed(await ports.rows.accounts(context.caller.ownerUid), asked);
  const revoked = await forgotten(ports, row);
  await ports.changed(row);
  return { provider: row.provider, kind: row.kind, revoked };
}

/** Deletes all accounts of a person, or those of one MCP server. */
export async function forgetAll(
  ports: Omit<OAuthPorts, "server" | "changed">,
  { uid, server }: { readonly uid: number; readonly server?: string },
): Promise<void> {
  const rows = (await ports.rows.accounts(uid)).filter(
    (row) => server === undefined || (row.kind === "mcp-server" && row.provider === server),
  );
  await Promise.all(rows.map((row) => forgotten(ports, row)));
}

/** Whether the tokens are revoked. */
async function forgotten(ports: Omit<OAuthPorts, "server" | "changed">, row: OAuthAccountRow): Promise<boolean> {
  const secret = await ports.vault.read(row.id, row.secret).catch(() => null);
  await ports.rows.remove(row.id);
  await ports.vault.removeAll(row.id);
  return secret === null ? false : await revokedAt(ports, row, secret);
}

async function revokedAt(
  ports: Pick<OAuthPorts, "wire" | "settings">,
  row: OAuthAccountRow,
  secret: Awaited<ReturnType<OAuthPorts["vault"]["read"]>>,
) {
  if (row.about.revocationEndpoint === null) return false;
  const { revoke } = await import("./request.ts");
  const fetch = await fetchFor(ports, row);
  const party = partyOf(row, secret);
  const ends = [secret.refresh, secret.access].filter((token) => token !== undefined);
  const ended = await Promise.all(ends.map((token) => revoke(fetch, party, token)));
  return ended.length > 0 && ended.every(Boolean);
}

/** Apart from the secret of the account that the flow may become. */
function flowSecret(id: string): string {
  return `${id}/flow`;
}
