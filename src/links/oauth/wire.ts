// The one way that sign-ins reach the network. What a server publishes about signing in is text of a stranger: it may name addresses inside
// this network, send without end, or redirect. Each request checks the addresses that its name stands for, and connects to a checked one.

import { isIP } from "node:net";
import { SysError } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import { abortAfter } from "../../lib/wait.ts";
import { isMetadata, isPublic, isWebPort } from "../../tools/web-address.ts";
import { bodyOf } from "../../tools/web-body.ts";

export interface WirePorts {
  readonly clock: Clock;
  readonly version: string;
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

export interface WireRules {
  /** The service itself is on this computer. */
  readonly loopback: boolean;
  /** `host` or `host:port` that a person allowed, wherever they are. */
  readonly allowed: readonly string[];
}

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const ANSWER_MS = 10_000;
const BODY_BYTES_MAX = 64 * 1024;
/** Signs that a program which opens addresses might take for something else. */
const UNSAFE = /[\s"'`$\\<>|;(){}\p{Cc}]/u;
const FORM = "an https address; http only for a service on this computer";

/** Same-origin redirects are left to the SDK, which follows them; no other redirect is followed. */
export function oauthFetch(ports: WirePorts, rules: WireRules): OAuthFetch {
  return async (given, init = {}) => {
    const url = serviceUrl(String(given), rules);
    try {
      return await abortAfter(ports.clock, ANSWER_MS, async (signal) => {
        const address = await reachable(ports, rules, url);
        return await request(ports, { url, address, init, signal });
      });
    } catch (error) {
      if (error instanceof SysError) throw error;
      if (isAbort(error)) throw new SysError("EIO", `${url.host} did not answer in ${ANSWER_MS / 1000} s`);
      throw new SysError("EIO", `${url.host} is not reachable (${codeOf(error)})`);
    }
  };
}

/** Throws if the address may not be used for signing in, before anything connects to it. */
export async function needReachable(ports: WirePorts, rules: WireRules, text: string): Promise<URL> {
  const url = serviceUrl(text, rules);
  await reachable(ports, rules, url);
  return url;
}

export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname);
}

function serviceUrl(text: string, { loopback }: WireRules): URL {
  const url = URL.parse(text);
  const isFit =
    url !== null &&
    !UNSAFE.test(text) &&
    url.username === "" &&
    url.password === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && loopback && isLoopbackHost(url.hostname)));
  if (!isFit) throw new SysError("EPERM", `not an address for signing in: ${clip(reveal(text))}`, [FORM]);
  return url;
}

/** The address to connect to. */
async function reachable({ resolve }: WirePorts, rules: WireRules, url: URL): Promise<string> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const isOwn = isLoopbackHost(host);
  if (!isOwn && !isWebPort(url.port)) throw new SysError("EPERM", `not reached: port ${url.port} is not for the web`);
  const addresses = isIP(host) === 0 ? await lookedUp(resolve, host) : [host];
  const [first] = addresses;
  if (first === undefined) throw new SysError("EIO", `unknown host: ${host}`);
  const isAllowed = rules.allowed.some((each) => each === url.host || each === url.hostname);
  const fits = (address: string) =>
    isPublic(address) ||
    (rules.loopback && isLoopbackHost(address)) ||
    (isAllowed && !isMetadata(address) && !isLoopbackHost(address));
  const refused = addresses.find((address) => !fits(address));
  if (refused === undefined) return first;
  const what = refused === host ? host : `${host} is ${refused}, which`;
  throw new SysError("EPERM", `not reached: ${what} is not on the public internet`, [
    `a person can allow it: gsv config set net.allow '["${url.host}"]'`,
  ]);
}

interface Asked {
  readonly url: URL;
  readonly address: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal;
}

async function request({ version }: WirePorts, { url, address, init, signal }: Asked): Promise<Response> {
  const direct = new URL(url);
  direct.hostname = address.includes(":") ? `[${address}]` : address;
  const headers = new Headers(init.headers);
  headers.set("host", url.host);
  headers.set("user-agent", `gsv/${version}`);
  headers.set("accept-encoding", "gzip, deflate, br");
  const isName = isIP(url.hostname.replace(/^\[(.*)\]$/, "$1")) === 0;
  const response = await fetch(direct, {
    ...init,
    ...{ headers, signal, redirect: "manual", decompress: false },
    ...(isName && { tls: { serverName: url.hostname } }),
  } as RequestInit);
  const { bytes, cut } = await bodyOf(response, BODY_BYTES_MAX, signal);
  if (cut) throw new SysError("ELIMIT", `${url.host} sent more than ${BODY_BYTES_MAX / 1024} KiB about signing in`);
  const kept = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) kept.delete(name);
  const { status, statusText } = response;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(bytes), { status, statusText, headers: kept });
}

async function lookedUp(resolve: WirePorts["resolve"], host: string): Promise<readonly string[]> {
  if (host === "localhost") return ["127.0.0.1"];
  try {
    return await resolve(host);
  } catch (error) {
    throw new SysError("EIO", `${host} cannot be resolved (${codeOf(error)})`);
  }
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown }).name === "AbortError";
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "no answer";
}
