// The proxy of a connection, from HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY in either case, as curl reads them. Loopback is never
// reached through a proxy. Needed for websockets, for which the runtime reads no variable.

import { SysError } from "../../abi/errno.ts";
import { isLoopbackHost } from "../../serve/listen-address.ts";

type Env = { readonly [name: string]: string | undefined };

/** `http://user:password@host:port`; null for a direct connection. */
export function proxyFor(address: string, env: Env): string | null {
  const url = new URL(address);
  const isSecure = /^(?:https|wss):$/.test(url.protocol);
  const proxy = named(env, isSecure ? "https_proxy" : "http_proxy") || named(env, "all_proxy");
  if (proxy === "" || isDirect(url, named(env, "no_proxy"))) return null;
  const whole = /^[a-z0-9+.-]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const parsed = URL.parse(whole);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new SysError("ECONFIG", "the proxy in the environment is not an HTTP proxy", [
      "use HTTPS_PROXY=http://HOST:PORT, or exclude the host: NO_PROXY=HOST",
    ]);
  return whole;
}

function named(env: Env, name: string): string {
  return (env[name] || env[name.toUpperCase()] || "").trim();
}

function isDirect({ hostname, port, protocol }: URL, excluded: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (isLoopbackHost(host)) return true;
  const usedPort = port || (/^(?:https|wss):$/.test(protocol) ? "443" : "80");
  return excluded.split(/[\s,]+/).some((entry) => {
    const [, name = "", onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const bare = name.replace(/^\*?\./, "");
    if (bare === "" || (onlyPort !== undefined && onlyPort !== usedPort)) return false;
    return bare === "*" || host === bare || host === `[${bare}]` || host.endsWith(`.${bare}`);
  });
}
