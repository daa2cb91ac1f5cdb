// A home and a model server on loopback beside it.

import { type Env, TestHome } from "./home.ts";
import { WIRES } from "./wire-bytes.ts";
import type { Spoken } from "./wire-format.ts";
import { type WireReply, WireServer } from "./wire-server.ts";

export function reply(wire: string, spoken: Spoken): WireReply {
  const { type, body } = WIRES[wire]!;
  return { type, body: body(spoken) };
}

export const CHAT = "openai chat completions";

export async function withServer(
  work: (home: TestHome, server: WireServer) => Promise<void>,
  usual: WireReply = reply(CHAT, { text: ["hello ", "there"] }),
): Promise<void> {
  using server = new WireServer(() => usual);
  const home = new TestHome();
  try {
    await work(home, server);
  } finally {
    await home.dispose();
  }
}

export function openAi(server: WireServer, more: Env = {}): { readonly env: Env } {
  return { env: { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1`, ...more } };
}
