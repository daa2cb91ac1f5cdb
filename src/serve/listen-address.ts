// Where to listen: `127.0.0.1:4870`, `[::1]:4870` or `:4870` for loopback. An address that other computers reach needs TLS.

import { SysError } from "../abi/errno.ts";
import { clip } from "../lib/text/truncate.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly isLoopback: boolean;
}

export const LISTEN_DEFAULT = "127.0.0.1:4870";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** `isProtected`: it has a certificate, or a proxy with one in front. */
export function listenAddress(text: string, isProtected: boolean): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9.-]{0,253})):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new SysError("EINVAL", `not an address with a port: ${clip(text)}`, [`for example: ${LISTEN_DEFAULT}`]);
  const host = (match[1] ?? match[2] ?? "").toLowerCase() || "127.0.0.1";
  const isLoopback = isLoopbackHost(host);
  if (!isLoopback && !isProtected)
    throw new SysError("EINVAL", `${clip(text)} needs TLS: tokens would travel unencrypted`, [
      "add --tls CERT,KEY, or --behind-proxy CIDR if a proxy has the certificate",
    ]);
  return { host, port, isLoopback };
}

/** An IPv6 address may have its brackets. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/** The names by which clients may address it. */
export function hostsOf(
  { host, isLoopback }: ListenAddress,
  port: number,
  more: readonly string[],
  isBehindProxy: boolean,
): ReadonlySet<string> {
  const names = isLoopback ? ["127.0.0.1", "localhost", "[::1]"] : [];
  if (host !== "0.0.0.0" && host !== "::") names.push(host.includes(":") ? `[${host}]` : host);
  // A browser leaves out the usual port, which is that of the proxy if there is one.
  const usual = port === 80 || port === 443 || isBehindProxy;
  const all = [...names, ...more.map((name) => name.toLowerCase())];
  return new Set(all.flatMap((name) => (/:\d+$/.test(name) ? [name] : [`${name}:${port}`, ...(usual ? [name] : [])])));
}
