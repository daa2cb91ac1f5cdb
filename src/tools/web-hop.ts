// One HTTP request: resolves the name once, checks every address and connects to a checked one. Sends no cookies or credentials. Does not
// follow redirects.

import { isIP } from "node:net";
import { SysError } from "../abi/errno.ts";
import { clip } from "../lib/text/truncate.ts";
import { isMetadata, isPublic, isWebPort } from "./web-address.ts";

export interface Reach {
  /** `host` or `host:port` allowed by a person, wherever it is. */
  readonly allowed: readonly string[];
  /** Private networks too: a person approved the target host. */
  readonly private: boolean;
}

export interface HopPorts {
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly version: string;
}

const ACCEPT = "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5";
const FORM = "such as https://example.org/page";

export function webUrl(text: string): URL {
  if (!URL.canParse(text)) throw new SysError("EINVAL", `not a web address: ${clip(text)}`, [FORM]);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new SysError("EINVAL", `only http and https are supported, not ${url.protocol.slice(0, 40)}`, [FORM]);
  if (url.username !== "" || url.password !== "")
    throw new SysError("EINVAL", "the address contains a user name or password", [FORM]);
  url.hash = "";
  return url;
}

export async function requestHop(ports: HopPorts, url: URL, reach: Reach, signal: AbortSignal): Promise<Response> {
  const address = await addressFor(ports, url, reach);
  const direct = new URL(url);
  direct.hostname = address.includes(":") ? `[${address}]` : address;
  try {
    return await fetch(direct, {
      headers: {
        host: url.host,
        "user-agent": `gsv/${ports.version}`,
        accept: ACCEPT,
        "accept-encoding": "gzip, deflate, br",
        "accept-language": "en, *;q=0.5",
      },
      redirect: "manual",
      // We decompress, within limits.
      decompress: false,
      signal,
      ...(isIP(bare(url.hostname)) === 0 && { tls: { serverName: bare(url.hostname) } }),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new SysError("EIO", `${url.host} is not reachable (${codeOf(error)})`);
  }
}

/** Checks the URL without DNS; localhost counts as its address. */
export function needReachable(url: URL, reach: Reach): void {
  const host = bare(url.hostname);
  const own = /(?:^|\.)localhost$/i.test(host) ? ["127.0.0.1"] : [];
  needFitting(url, reach, isIP(host) === 0 ? own : [host]);
}

async function addressFor({ resolve }: HopPorts, url: URL, reach: Reach): Promise<string> {
  const host = bare(url.hostname);
  const addresses = isIP(host) === 0 ? await lookedUp(resolve, host) : [host];
  const [first] = addresses;
  if (first === undefined) throw new SysError("EIO", `unknown host: ${host}`);
  needFitting(url, reach, addresses);
  return first;
}

function needFitting(url: URL, reach: Reach, addresses: readonly string[]): void {
  const host = bare(url.hostname);
  if (!isWebPort(url.port)) throw new SysError("EINVAL", `not fetched: port ${url.port} is not for the web`);
  const isAllowed = reach.allowed.some((each) => each === url.host || each === url.hostname);
  const fits = (address: string) => isAllowed || isPublic(address) || (reach.private && !isMetadata(address));
  const refused = addresses.find((address) => !fits(address));
  if (refused === undefined) return;
  const what = refused === host ? host : `${host} is ${refused}, which`;
  throw new SysError("EPERM", `not fetched: ${what} is not on the public internet`, [
    reach.private
      ? "cloud metadata addresses are never fetched"
      : `a person can allow it: gsv config set net.allow '["${url.host}"]'`,
  ]);
}

async function lookedUp(resolve: HopPorts["resolve"], host: string): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (error) {
    throw new SysError("EIO", `${host} cannot be resolved (${codeOf(error)})`);
  }
}

/** Without IPv6 brackets and trailing dot. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "no answer";
}
