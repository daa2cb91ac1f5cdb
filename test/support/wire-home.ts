// A home, or a kernel in this process, and a model server on loopback beside it.

import { type Env, TestHome } from "./home.ts";
import { stdinOf } from "./io.ts";
import { TestKernel } from "./kernel.ts";
import { begin, finish, type Typed } from "./shell.ts";
import { WIRES } from "./wire-bytes.ts";
import type { Spoken } from "./wire-format.ts";
import { type WireReply, WireServer } from "./wire-server.ts";

export function reply(wire: string, spoken: Spoken): WireReply {
  const { type, body } = WIRES[wire]!;
  return { type, body: body(spoken) };
}

export const CHAT = "openai chat completions";

const HELLO = reply(CHAT, { text: ["hello ", "there"] });

export async function withServer(
  work: (home: TestHome, server: WireServer) => Promise<void>,
  usual: WireReply = HELLO,
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

/** gsv as it is typed, each time by a client with an environment of its own. */
export class WiredKernel {
  private clients = 0;

  private constructor(
    readonly home: TestKernel,
    readonly server: WireServer,
  ) {}

  /** Time is real, because the server's is; in `quickTime` only pauses between two requests pass, and those at once. */
  static async boot(usual: WireReply = HELLO, how: { readonly quickTime?: boolean } = {}): Promise<WiredKernel> {
    const home = await TestKernel.boot({ realProviders: true, ...(how.quickTime ? {} : { realTime: true }) });
    return new WiredKernel(home, new WireServer(() => usual));
  }

  /** The key and address of its server, as a client has them. */
  env(more: Env = {}): Env {
    return { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${this.server.url}/v1`, ...more };
  }

  async gsv(
    argv: readonly string[],
    { env = {}, flags = {}, stdin }: { readonly env?: Env; readonly flags?: Env; readonly stdin?: string } = {},
  ): Promise<Typed> {
    const clientId = `wired-${++this.clients}`;
    const given = { OLLAMA_HOST: "none", ...env };
    const client = await this.home.kernel.accept({ clientId, version: "0", cwd: "/", env: given, flags });
    const input = stdin === undefined ? stdinOf("none") : stdinOf("pipe", [stdin]);
    const typing = await begin(this.home, argv, input, { sys: () => client, peek: async () => client });
    const typed = await finish(this.home, typing);
    await client.close();
    return typed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
    this.server[Symbol.dispose]();
  }
}
