// A word in the environment of each server, which its children inherit: it finds those that left its process group, and servers that a dead
// kernel left running.

import { sha256Hex } from "../../lib/hash.ts";

export const MARK = "GSV_MCP";
const HOME_CHARS = 16;

/** The start of the marks of all servers of a home. */
export function homeMark(home: string): string {
  return `${sha256Hex(home).slice(0, HOME_CHARS)}.`;
}
