// A listener on a free port of loopback, in front of a fake kernel that knows one token.

import { SysError } from "../../src/abi/errno.ts";
import type { Arrival, Credentials } from "../../src/abi/identity.ts";
import type { RemoteServer } from "../../src/abi/remote.ts";
import type { ClientInfo } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { listenAddress } from "../../src/serve/listen-address.ts";
import { type Listener, type ListenOptions, listen } from "../../src/serve/listener.ts";
import type { PublicObjects, ServeHost } from "../../src/serve/route.ts";
import { classOf, type FakeDoor } from "./door.ts";
import { seeded } from "./random.ts";

export function listening(
  door: FakeDoor,
  more: Partial<ListenOptions> & {
    readonly faults?: string[];
    readonly peers?: string[];
    /** How to end the login of each connection. */
    readonly ends?: ((why: SysError) => void)[];
    readonly at?: string;
    readonly publicObjects?: PublicObjects | null;
  } = {},
): Listener {
  const { faults, peers, ends, at = "127.0.0.1:0", publicObjects = null, ...rest } = more;
  return listen({
    address: listenAddress(at, rest.tls != null),
    hosts: [],
    tls: null,
    proxies: [],
    version: door.version,
    async accept(client: ClientInfo, { token, password }: Credentials, { address, onEnd }: Arrival) {
      peers?.push(address);
      if (token !== "right" && password !== "right") throw new SysError("EAUTH", "wrong password or token");
      if (onEnd !== undefined) ends?.push(onEnd);
      return await door.accept(client);
    },
    async enter({ password, withKey }) {
      if (password !== "right") throw new SysError("EAUTH", "wrong password or token");
      const key = withKey ? "gsv_key_right" : null;
      return { ...{ id: "1", account: "sam", token: "right", key, expiresAt: 2_000_000_000_000 } };
    },
    connection: {
      ...{ clock: realClock, pid: 4711, exe: "/usr/bin/gsv", classOf },
      onFault: (call, error) => faults?.push(`${call}: ${String(error)}`),
    },
    host: hostPorts({ publicObjects }),
    closeMs: 500,
    ...rest,
  });
}

/** What handlers get besides a Sys. */
export function hostPorts(more: Partial<ServeHost> = {}): ServeHost {
  return {
    clock: realClock,
    random: seeded(1).bytes,
    isAnswering: async () => true,
    mcp: { answer: async () => new Response(null, { status: 503 }), close: () => {} },
    callPaths: async () => ({}),
    publicObjects: null,
    metrics: { text: async () => "", answered: () => {}, close: () => {} },
    ...more,
  };
}

/** As a client knows it. */
export function serverAt(url: string, more: Partial<RemoteServer> = {}): RemoteServer {
  return { name: "box", url, token: "right", certificate: null, ...more };
}
