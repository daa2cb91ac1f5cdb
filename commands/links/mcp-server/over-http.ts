// gsv's MCP server behind the listener, as the account of the request's token.

import { SysError } from "../../../src/abi/errno.ts";
import { grants } from "../../../src/abi/identity.ts";
import type { RandomBytes } from "../../../src/abi/ids.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Served } from "../../../src/serve/mcp/endpoint.ts";
import type { Visit } from "../../../src/serve/route.ts";
import { watchChanges } from "./changes.ts";
import { gsvServer } from "./server.ts";
import type { ServerPorts } from "./tool.ts";
import { capabilitiesFor } from "./tools.ts";
import { KEY_BYTES, type Who } from "./who.ts";

/** `isLasting`: for a session, whose server sends notices of changes by itself. */
export type Serve = (visit: Visit, isLasting: boolean) => Promise<Served>;

export function servingHttp({ clock, random }: { readonly clock: Clock; readonly random: RandomBytes }): Serve {
  const key = random(KEY_BYTES);
  return async (visit, isLasting) => {
    const own = await visit.open();
    try {
      const { kind, capabilities } = await own.call<Who>("system.whoami", {});
      const isPerson = kind === "person" && grants(capabilities, "hil.answer");
      const sys = await visit.open(capabilitiesFor(null));
      const account = await sys.call<Who>("system.whoami", {});
      const person = isPerson ? async () => own : null;
      return servedBy({ sys, person, clock, version: visit.version, account, key, here: null }, { own, isLasting });
    } catch (error) {
      await own.close();
      throw error;
    }
  };
}

function servedBy(ports: ServerPorts, { own, isLasting }: { readonly own: Sys; readonly isLasting: boolean }): Served {
  return {
    factory: ({ era }) => gsvServer(ports, { era, pushes: isLasting }),
    bus: {
      publish() {
        throw new SysError("ENOSYS", "only the kernel publishes changes");
      },
      subscribe: (listener) =>
        watchChanges(ports, {
          updated: (uri) => listener({ kind: "resource_updated", uri }),
          listed: () => listener({ kind: "resources_list_changed" }),
        }),
    },
    async close() {
      await Promise.all([own.close(), ports.sys.close()]);
    },
  };
}
