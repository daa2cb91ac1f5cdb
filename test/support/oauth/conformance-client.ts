// The client that the official conformance suite tests for signing in: gsv's sign-in, tokens and connections, and a person who agrees to
// each page. Started by the suite as `bun conformance-client.ts URL`, with the scenario in its environment.

import { SysError } from "../../../src/abi/errno.ts";
import type { Caller } from "../../../src/abi/identity.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { ServerLogin } from "../../../src/links/oauth/server-login.ts";
import { fetchFor, type OAuthPorts, oauthService } from "../../../src/links/oauth/service.ts";
import { AccountTokens } from "../../../src/links/oauth/tokens.ts";
import { Vault } from "../../../src/links/oauth/vault.ts";
import type { CallContext } from "../../../src/syscalls/define.ts";
import { KernelPlane } from "../kernel-plane.ts";
import { play, type ScenarioContext } from "../mcp/conformance-client.ts";

const UID = 1000;
const REDIRECT = "http://127.0.0.1:49152/oauth/callback";
const DOCUMENT = "https://conformance-test.local/client-metadata.json";
/** A person gives up then. */
const SIGN_INS_MAX = 3;

function signInAt(url: string, given: ScenarioContext) {
  const rows = new KernelPlane().begin().oauth;
  const secrets = new Map<string, string>();
  const vault = new Vault({
    async put(name, values) {
      secrets.set(name, JSON.stringify(values));
      return "file:0000";
    },
    read: async (name) => JSON.parse(secrets.get(name) ?? "{}"),
    remove: async (name) => void secrets.delete(name),
  });
  const wire = { clock: realClock, version: "0", resolve: async () => ["127.0.0.1"] };
  const settings: OAuthPorts["settings"] = async () => ({ allowed: [], document: DOCUMENT });
  const base = { rows, vault, clock: realClock };
  const tokens = new AccountTokens({ ...base, fetchFor: (row) => fetchFor({ wire, settings }, row) });
  const login = new ServerLogin({ rows, tokens }, { uid: UID, name: "server", url });
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const server: OAuthPorts["server"] = async () => ({ url, challenge: login.challenge });
  const service = oauthService({ ...base, random, wire, settings, server, changed: async () => {} });
  const context = {
    caller: { uid: UID, ownerUid: UID } as Caller,
    requestId: "r",
    signal: new AbortController().signal,
  };
  const { client_id: clientId, client_secret: clientSecret } = given;
  const client = {
    ...(typeof clientId === "string" && { clientId }),
    ...(typeof clientSecret === "string" && { clientSecret }),
  };
  return {
    login,
    async signIn() {
      const asked = { name: "server", kind: "mcp-server" as const, redirectUri: REDIRECT, ...client };
      const { flow, url: page } = await service.start(context as CallContext, asked);
      const response = await fetch(page ?? "", { redirect: "manual" });
      await service.finish(context as CallContext, { flow, callback: response.headers.get("location") ?? "" });
    },
  };
}

if (import.meta.main) {
  const { MCP_CONFORMANCE_CONTEXT: text = "{}" } = process.env;
  const context = JSON.parse(text) as ScenarioContext;
  const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === "2026-07-28";
  const url = process.argv.at(-1) ?? "";
  const { login, signIn } = signInAt(url, context);
  let status = 0;
  for (let signIns = 0; ; signIns++) {
    const error = await play({ url, isModern, context, login }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const refusal = login.takeRefusal();
    console.error(String(error), refusal?.message);
    status = error === null && refusal === null ? 0 : 1;
    // Only a refusal that another sign-in could end.
    if (refusal === null || refusal.hints.length === 0 || signIns === SIGN_INS_MAX) break;
    try {
      await signIn();
    } catch (thrown) {
      console.error(thrown instanceof SysError ? [thrown.code, thrown.message] : thrown);
      break;
    }
  }
  process.exit(status);
}
