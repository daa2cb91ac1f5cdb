// Loads the search in histories at its first use. Histories that are deleted for good leave an existing index at once.

import { existsSync } from "node:fs";
import { ROOT_UID } from "../../../abi/identity.ts";
import type { Bus } from "../../../kernel/bus.ts";
import type { Clock } from "../../../lib/clock.ts";
import { once } from "../../../lib/lazy.ts";
import type { ObjectStore } from "../../../objects/objects.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../../store/process/verbs.ts";
import type { SearchService } from "../../../syscalls/proc/history-service.ts";

export interface SearchParts extends SearchService {
  forgetGone(): Promise<void>;
  close(): Promise<void>;
}

export interface SearchPorts {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
  readonly indexDb: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly bus: Bus;
  readonly onFault: (error: unknown) => void;
}

export function lazySearch(ports: SearchPorts): SearchParts {
  let isLoaded = false;
  const loaded = once(() => {
    isLoaded = true;
    return load(ports);
  });
  const hasIndex = () => existsSync(ports.indexDb);
  ports.bus.listen({
    uid: ROOT_UID,
    clientId: null,
    filter: { names: ["process.exit"] },
    hear(signal) {
      if (signal.name !== "process.exit" || signal.archive !== null || !hasIndex()) return;
      loaded()
        .then(({ index }) => index.forgetLive(signal.pid, null))
        .catch(ports.onFault);
    },
  });
  return {
    search: async (context, request) => (await loaded()).service.search(context, request),
    async forgetGone() {
      if (hasIndex()) await (await loaded()).indexer.forgetGone();
    },
    async close() {
      if (isLoaded) (await loaded()).index.close();
    },
  };
}

async function load({ kernel, processes: store, objects, indexDb, clock, log }: SearchPorts) {
  const { HistoryIndex } = await import("../../../store/history-index.ts");
  const { Indexer } = await import("./indexer.ts");
  const { searchService } = await import("./service.ts");
  const index = new HistoryIndex(indexDb, () => clock.now());
  const indexer = new Indexer({ index, kernel, store, objects, clock, log });
  return { index, indexer, service: searchService({ kernel, index, indexer, now: () => clock.now() }) };
}
