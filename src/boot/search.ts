// Search in histories, put together: loaded by whoever searches first. What is thrown away for good leaves the index at once, where there
// is one.

import { existsSync } from "node:fs";
import { ROOT_UID } from "../abi/identity.ts";
import type { Machine, Ports } from "../boot.ts";
import type { Bus } from "../kernel/bus.ts";
import type { SearchService } from "../syscalls/proc/history-service.ts";

export interface SearchParts extends SearchService {
  /** What has neither a process nor an archive any more is found no more. */
  forgetGone(): Promise<void>;
  close(): Promise<void>;
}

interface Searched extends Ports {
  readonly machine: Machine;
  readonly bus: Bus;
  readonly onFault: (error: unknown) => void;
}

export function searchIn(searched: Searched): SearchParts {
  const { machine, bus, onFault } = searched;
  let loading: ReturnType<typeof load> | null = null;
  const loaded = () => {
    loading ??= load(searched);
    return loading;
  };
  const hasIndex = () => existsSync(machine.paths.indexDb);
  bus.listen({
    uid: ROOT_UID,
    clientId: null,
    filter: { names: ["process.exit"] },
    hear(signal) {
      if (signal.name !== "process.exit" || signal.archive !== null || !hasIndex()) return;
      loaded()
        .then(({ index }) => index.forgetLive(signal.pid, null))
        .catch(onFault);
    },
  });
  return {
    search: async (context, request) => (await loaded()).service.search(context, request),
    async forgetGone() {
      if (hasIndex()) await (await loaded()).indexer.forgetGone();
    },
    async close() {
      (await loading)?.index.close();
    },
  };
}

async function load({ machine, kernel, processes: store, objects }: Searched) {
  const { clock, paths, log } = machine;
  const { HistoryIndex } = await import("../store/history-index.ts");
  const { Indexer } = await import("../process/history/search/indexer.ts");
  const { searchService } = await import("../process/history/search/service.ts");
  const index = new HistoryIndex(paths.indexDb, () => clock.now());
  const indexer = new Indexer({ index, kernel, store, objects, clock, log });
  return { index, indexer, service: searchService({ kernel, index, indexer, now: () => clock.now() }) };
}
