// The service behind net.fetch: which addresses a caller may reach. Target gsv: the public internet and hosts that the owner allowed by name.
// Target host: also this computer and its networks.

import type { Caller } from "../abi/identity.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { ConfigRows } from "../store/kernel/config.ts";
import type { FileTarget } from "../syscalls/fs/files-service.ts";
import type { Web } from "../syscalls/run/net.ts";
import { fetchPage, type WebPorts } from "../tools/web.ts";
import { needReachable, type Reach, webUrl } from "../tools/web-hop.ts";
import { settingsFor } from "./settings/config.ts";

export interface WebServicePorts extends WebPorts {
  readonly settings: ConfigRows;
  readonly random: RandomBytes;
  readonly authoriseHost: (caller: Caller) => Promise<void>;
}

const MARK_BYTES = 4;

export function webService(ports: WebServicePorts): Web {
  const reachOf = async (caller: Caller, target: FileTarget): Promise<Reach> => {
    if (target === "host") await ports.authoriseHost(caller);
    const setting = await settingsFor(ports.settings, { uid: caller.ownerUid, client: undefined });
    return { allowed: hostsIn(setting("net.allow").text), private: target === "host" };
  };
  return {
    async page(caller, { url, raw, target }, signal) {
      const reach = await reachOf(caller, target);
      const page = await fetchPage(ports, { url, raw, signal, reach, followsAnywhere: caller.kind === "person" });
      return { ...page, mark: Buffer.from(ports.random(MARK_BYTES)).toString("hex") };
    },

    async needFetchable(caller, { url, target }) {
      needReachable(webUrl(url), await reachOf(caller, target));
    },
  };
}

function hostsIn(json: string): readonly string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
