// A kernel in this process behind a real port, and requests to it with a token of its person.

import { afterEach } from "bun:test";
import type { Sys } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { listenAddress } from "../../src/serve/listen-address.ts";
import { type Listener, type ListenOptions, listen } from "../../src/serve/listener.ts";
import { Metrics } from "../../src/serve/metrics/metrics.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { callPaths } from "../../src/syscalls/openapi.ts";
import { type KernelOptions, TestKernel } from "./kernel.ts";
import { seeded } from "./random.ts";

export class ServedKernel {
  private constructor(
    readonly kernel: TestKernel,
    /** A test may put another one in its place. */
    public listener: Listener,
    readonly token: string,
  ) {}

  static async boot(options: KernelOptions = {}, more: Partial<ListenOptions> = {}): Promise<ServedKernel> {
    const kernel = await TestKernel.boot(options);
    const { token } = await kernel.sys.call<{ token: string }>("sys.token.create", {});
    const listener = listen({ ...inFrontOf(kernel), ...more });
    const served = new ServedKernel(kernel, listener, token);
    open.push(served);
    return served;
  }

  /** With a body as JSON, if there is one. */
  request(method: string, path: string, body?: unknown, headers: { readonly [name: string]: string } = {}) {
    return fetch(`${this.listener.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** The status, and the body as JSON. */
  async json<Body = unknown>(...request: Parameters<ServedKernel["request"]>): Promise<readonly [number, Body]> {
    const response = await this.request(...request);
    return [response.status, (await response.json()) as Body];
  }
}

export function inFrontOf(kernel: TestKernel): ListenOptions {
  return {
    ...{ address: listenAddress("127.0.0.1:0", false), hosts: [], tls: null, proxies: [], version: "1.0.0" },
    accept: (client, login, arrival): Promise<Sys> => kernel.kernel.accept(client, login, arrival),
    enter: (request, arrival) => kernel.kernel.entries.enter(request, arrival),
    connection: {
      ...{ clock: realClock, pid: 4711, exe: "/usr/bin/gsv" },
      classOf: (name) => SYSCALLS.get(name)?.class,
      onFault: (call, error) => kernel.faults.push(`${call}: ${String(error)}`),
    },
    // Waiting takes real time, but the time of day is the kernel's.
    host: {
      clock: { ...realClock, now: () => kernel.clock.now() },
      random: seeded(2).bytes,
      isAnswering: async () => true,
      mcp: { answer: async () => new Response(null, { status: 503 }), close: () => {} },
      callPaths: async () => callPaths(SYSCALLS.values()),
      publicObjects: null,
      metrics: new Metrics(kernel.kernel.figures, realClock),
    },
    closeMs: 500,
  };
}

const open: ServedKernel[] = [];

afterEach(async () => {
  for (const { listener, kernel } of open.splice(0)) {
    await listener.close();
    await kernel[Symbol.asyncDispose]();
  }
});
