// The name of a server's tool for models: their providers allow letters, digits, - and _ only.

import { sha256Hex } from "../../lib/hash.ts";

const MODEL_NAME_CHARS_MAX = 64;
const PLAIN = /^[A-Za-z0-9_-]+$/;
const HASH_CHARS = 6;

/** Always the same for the same tool; two tools of one server never share it. */
export function modelName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`;
  if (PLAIN.test(tool) && name.length <= MODEL_NAME_CHARS_MAX) return name;
  const folded = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  return `${folded.slice(0, MODEL_NAME_CHARS_MAX - HASH_CHARS - 1)}_${sha256Hex(tool).slice(0, HASH_CHARS)}`;
}
