// Calls and connections of tests that nobody asks anything.

import type { CallOptions, LinkPeer } from "../../../src/links/mcp/link.ts";

export function plainCall(signal = new AbortController().signal): CallOptions {
  const talk = { ask: refused, roots: async () => [], progress: () => {}, isWaiting: () => false };
  return { signal, talk, answers: null };
}

export function quietPeer(log: (line: string) => void = () => {}): LinkPeer {
  return { onChange: () => {}, ask: refused, roots: async () => [], log };
}

async function refused(): Promise<object> {
  throw new Error("nobody is asked");
}
