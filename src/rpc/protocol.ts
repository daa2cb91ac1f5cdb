// Versions of the line protocol: the frames and their meaning, not the calls. Each side names the range that it speaks, and both use the
// highest in common. `hello` and `helloOk` are in every version.

import type { ProtocolRange } from "../abi/sys.ts";

export const PROTOCOL: ProtocolRange = { oldest: 1, newest: 1 };

/** Of a peer that names no range. */
const FIRST: ProtocolRange = { oldest: 1, newest: 1 };

/** The version that both use; null if they have none in common. */
export function commonProtocol(left: ProtocolRange, right: ProtocolRange): number | null {
  const newest = Math.min(left.newest, right.newest);
  return newest >= Math.max(left.oldest, right.oldest) ? newest : null;
}

/** The range in a frame or an answer of a peer. */
export function protocolIn(value: unknown): ProtocolRange {
  if (typeof value !== "object" || value === null) return FIRST;
  const { oldest, newest } = value as { readonly oldest?: unknown; readonly newest?: unknown };
  return isVersion(oldest) && isVersion(newest) && oldest <= newest ? { oldest, newest } : FIRST;
}

export function protocolText({ oldest, newest }: ProtocolRange): string {
  return oldest === newest ? `protocol ${newest}` : `protocols ${oldest} to ${newest}`;
}

function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
