// Allowed addresses of web pages: the public internet only. Refuses addresses of this computer, private networks and cloud metadata, in any
// notation, including IPv4 within IPv6. Pure.

import { isIPv4, isIPv6 } from "node:net";

type Range = readonly [first: string, bits: number];

/** Not public: RFC 6890 and successors. */
const V4: readonly Range[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
/** All public IPv6 addresses start with these bits. */
const V6_PUBLIC: Range = ["2000::", 3];
const V6: readonly Range[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];
/** The last 32 bits are an IPv4 address. */
const V4_INSIDE: readonly Range[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
];
/** Metadata services of cloud providers, which give out keys. */
const METADATA: readonly Range[] = [
  ["169.254.0.0", 16],
  ["fd00:ec2::", 32],
  ["100.100.100.200", 32],
];

/** Ports of other protocols, as browsers refuse them: a request there could be taken for a command of that protocol. */
const OTHER_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** `port` as in a URL: empty for the port of its protocol. */
export function isWebPort(port: string): boolean {
  return port === "" || !OTHER_PORTS.has(Number(port));
}

export function isPublic(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === null) return false;
  if (bytes.length === 4) return !V4.some((range) => isIn(bytes, range));
  const inner = innerV4(bytes);
  if (inner !== null) return isPublic(inner);
  return isIn(bytes, V6_PUBLIC) && !V6.some((range) => isIn(bytes, range));
}

/** Refused even if private addresses are allowed. */
export function isMetadata(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === null) return true;
  const inner = bytes.length === 16 ? innerV4(bytes) : null;
  return inner === null ? METADATA.some((range) => isIn(bytes, range)) : isMetadata(inner);
}

// `::` and `::1` count as IPv4, where they are not public either.
function innerV4(bytes: readonly number[]): string | null {
  return V4_INSIDE.some((range) => isIn(bytes, range)) ? bytes.slice(12).join(".") : null;
}

function isIn(bytes: readonly number[], [first, bits]: Range): boolean {
  const start = bytesOf(first) ?? [];
  if (start.length !== bytes.length) return false;
  for (let at = 0; at < bits; at += 8) {
    const mask = bits - at >= 8 ? 0xff : (0xff << (8 - (bits - at))) & 0xff;
    if (((start[at / 8] ?? 0) & mask) !== ((bytes[at / 8] ?? 0) & mask)) return false;
  }
  return true;
}

function bytesOf(text: string): readonly number[] | null {
  if (isIPv4(text)) return text.split(".").map(Number);
  const [address = ""] = text.split("%");
  if (!isIPv6(address)) return null;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const whole = dotted === null ? address : `${dotted[1]}${groupsOf(dotted[2] ?? "")}`;
  const [before = "", after] = whole.split("::");
  const [head, tail] = [wordsOf(before), wordsOf(after ?? "")];
  const gap = after === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...gap, ...tail].flatMap((word) => [word >> 8, word & 0xff]);
}

function wordsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
}

function groupsOf(v4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split(".").map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
