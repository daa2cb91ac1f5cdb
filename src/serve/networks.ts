// Addresses and networks of IPv4 and IPv6, such as `10.0.0.0/8`.

import { SysError } from "../abi/errno.ts";
import { clip } from "../lib/text/truncate.ts";

export interface Network {
  readonly isV4: boolean;
  readonly base: bigint;
  readonly prefix: number;
}

/** Separated by commas. Throws EINVAL. */
export function networksIn(text: string): readonly Network[] {
  const words = text.split(",").map((word) => word.trim());
  return words.filter(Boolean).map((word) => {
    const [address = "", prefix, ...more] = word.split("/");
    const bits = bitsOf(address);
    const width = bits?.isV4 === true ? 32 : 128;
    const length = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (bits === null || more.length > 0 || length < 0 || length > width)
      throw new SysError("EINVAL", `not a network: ${clip(word)}`, ["for example: --behind-proxy 127.0.0.1/32"]);
    return { isV4: bits.isV4, base: bits.value >> BigInt(width - length), prefix: length };
  });
}

export function isWithin(address: string, networks: readonly Network[]): boolean {
  const bits = bitsOf(address);
  if (bits === null) return false;
  const width = bits.isV4 ? 32 : 128;
  return networks.some(({ isV4, base, prefix }) => isV4 === bits.isV4 && bits.value >> BigInt(width - prefix) === base);
}

export function isAddress(text: string): boolean {
  return bitsOf(text) !== null;
}

/** IPv4 addresses in IPv6 form as IPv4, without a zone. */
export function plainAddress(address: string | undefined): string {
  return (address ?? "unknown").replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

/** What limits count as one source: one customer has at least a /64 of IPv6. */
export function networkOf(address: string): string {
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

function bitsOf(text: string): { readonly isV4: boolean; readonly value: bigint } | null {
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (v4 !== null) {
    const bytes = v4.slice(1).map(Number);
    if (bytes.some((byte) => byte > 255)) return null;
    return { isV4: true, value: bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
  }
  if (!/^[0-9a-f:]{2,39}$/i.test(text) || !text.includes(":") || text.split("::").length > 2) return null;
  const groups = groupsOf(text);
  if (groups.length !== 8 || groups.some((group) => !/^[0-9a-f]{1,4}$/.test(group))) return null;
  return { isV4: false, value: groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) };
}
