// Pages of the web, put together and loaded when the first is asked for.

import type { Core } from "../boot.ts";
import type { Web } from "../syscalls/run/net-service.ts";
import { VERSION } from "../version.ts";
import type { HostParts } from "../workers/shell-workers.ts";

export function lazyWeb({ kernel, machine }: Core, { hostShells }: HostParts): Web {
  const { clock, random, lookUp = systemLookUp } = machine;
  let made: Promise<Web> | null = null;
  const make = async () =>
    (await import("../kernel/web.ts")).webService({
      ...{ clock, random, version: VERSION, settings: kernel.config, resolve: lookUp },
      authoriseHost: (caller) => hostShells.authorise(caller),
    });
  return {
    async page(...given) {
      made ??= make();
      return (await made).page(...given);
    },
    async needFetchable(...given) {
      made ??= make();
      return (await made).needFetchable(...given);
    },
  };
}

async function systemLookUp(host: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
