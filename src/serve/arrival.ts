// Where a request comes from, with one spelling for each address, so that limits count it once.

import type { Arrival } from "../abi/identity.ts";

const PROGRAM_CHARS = 80;

export function arrivalOf(address: string, userAgent: string | null, purpose: Arrival["purpose"]): Arrival {
  const program = (userAgent ?? "").replace(/[^\x20-\x7e]/g, "?").slice(0, PROGRAM_CHARS) || "unknown client";
  return { address, network: networkOf(address), program, purpose };
}

/** IPv4 addresses in IPv6 form as IPv4. */
export function plainAddress(address: string | undefined): string {
  return (address ?? "unknown").replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

/** One customer has at least a /64 of IPv6. */
function networkOf(address: string): string {
  return address.includes(":") ? `${groupsOf(address).slice(0, 4).join(":")}::/64` : address;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [before = "", after] = address.toLowerCase().split("::");
  const split = (text: string) => (text === "" ? [] : text.split(":"));
  const [front, back] = [split(before), split(after ?? "")];
  const zeros = after === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(zeros).fill("0"), ...back].map((group) => group.replace(/^0+(?=.)/, ""));
}
