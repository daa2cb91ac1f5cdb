// Where a request comes from. Headers of a proxy count only from the proxies of `--behind-proxy`; other clients may forge them, so they are refused.

import type { Arrival } from "../abi/identity.ts";
import { isAddress, isWithin, type Network, networkOf, plainAddress } from "./networks.ts";

const PROGRAM_CHARS = 80;
const FORWARDED = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "x-real-ip"];
const HOPS_MAX = 32;

export interface Source {
  /** Of the client; one spelling for each. */
  readonly address: string;
  /** As the client reached it, if a proxy names it. */
  readonly scheme: "http" | "https" | null;
  /** Why the request is refused; null if it is not. */
  readonly fault: string | null;
}

export function sourceOf(headers: Headers, socketAddress: string | undefined, proxies: readonly Network[]): Source {
  const peer = plainAddress(socketAddress);
  const own = { address: peer, scheme: null, fault: null };
  if (!isWithin(peer, proxies)) {
    const header = FORWARDED.find((name) => headers.has(name));
    const fault = `${header} from ${peer}, which is no proxy of this server: gsv serve --behind-proxy CIDR`;
    return header === undefined ? own : { ...own, fault };
  }
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hopAddress(hop.trim()));
  const scheme =
    headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase() === "https" ? "https" : "http";
  if (hops.length === 1 && hops[0] === "") return { ...own, scheme };
  if (hops.length > HOPS_MAX || !hops.every(isAddress))
    return { ...own, fault: "X-Forwarded-For is no list of addresses" };
  // From the right, because only the entries of our own proxies can be believed.
  const address = hops.findLast((hop) => !isWithin(hop, proxies)) ?? hops[0] ?? peer;
  return { address, scheme, fault: null };
}

export function arrivalOf(address: string, userAgent: string | null, purpose: Arrival["purpose"]): Arrival {
  const program = (userAgent ?? "").replace(/[^\x20-\x7e]/g, "?").slice(0, PROGRAM_CHARS) || "unknown client";
  return { address, network: networkOf(address), program, purpose };
}

/** Some proxies add a port. */
function hopAddress(hop: string): string {
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::\d{1,5})?$/.exec(hop)?.[1];
  return plainAddress(bracketed ?? hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/, "$1"));
}
