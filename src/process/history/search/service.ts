// The service behind proc.search: the caller's own histories, live and archived; for root, all of them. Hits in processes or archives that
// were deleted meanwhile are skipped.

import { SysError } from "../../../abi/errno.ts";
import { isRoot } from "../../../abi/identity.ts";
import { visibleProcess } from "../../../kernel/registry.ts";
import { beginningOf } from "../../../kernel/since.ts";
import type { HistoryIndex, Hit } from "../../../store/history-index.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import { noSuchProcess } from "../../../syscalls/parse.ts";
import type { FoundText, SearchService } from "../../../syscalls/proc/history-service.ts";
import type { Indexer } from "./indexer.ts";
import { matchOf, snippetOf } from "./search-text.ts";

export interface SearchPorts {
  readonly kernel: KernelStore;
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly now: () => number;
}

/** Limit of a first search over many histories: then it answers with the hits so far. */
const PATIENCE_MS = 10_000;

export function searchService(ports: SearchPorts): SearchService {
  const { kernel, index, indexer } = ports;
  return {
    async search({ caller, client, signal }, { words, pid = null, since, limit }) {
      const match = matchOf(words);
      const asker = { uid: caller.ownerUid, client };
      const from = since === undefined ? null : await beginningOf(kernel.config, asker, since, ports.now());
      // An ended process has only archives.
      if (pid !== null)
        await visibleProcess(kernel, caller, pid).catch((error) => archivedOf(ports, caller, pid, error));
      const ownerUid = isRoot(caller) ? null : caller.ownerUid;
      const left = await indexer.bringUp(ownerUid, { ms: PATIENCE_MS, signal });
      const hits = await index.search({ match, ownerUid, pid, since: from, limit: limit + 1 });
      const found: FoundText[] = [];
      for (const hit of hits.slice(0, limit)) if (await isThere(kernel, hit)) found.push(foundText(hit));
      return { found, more: hits.length > limit, unread: left };
    },
  };
}

async function archivedOf(
  { kernel }: SearchPorts,
  caller: Parameters<typeof visibleProcess>[1],
  pid: string,
  error: unknown,
): Promise<void> {
  const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
  if (!(error instanceof SysError && error.code === "ESRCH")) throw error;
  if ((await kernel.archives.list({ ...owner, pid, limit: 1 })).length === 0) throw noSuchProcess(pid);
}

async function isThere({ processes, archives }: KernelStore, { pid, archiveId }: Hit): Promise<boolean> {
  return archiveId === null ? (await processes.get(pid))?.phase === "live" : (await archives.get(archiveId)) !== null;
}

function foundText({ pid, seq, role, at, archiveId, snippet }: Hit): FoundText {
  const { text, hits } = snippetOf(snippet);
  return { pid, seq, at, role, archiveId, snippet: text, hits };
}
