// Providers that do not answer, found from the processes that wait for them.

import { type Caller, isRoot } from "../../abi/identity.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { OutageInfo, OutageReports } from "../../syscalls/run/ai.ts";

const PAGE = 500;
const PIDS_SHOWN_MAX = 100;

export function outageReports({ processes }: Pick<KernelStore, "processes">): OutageReports {
  return {
    async list(caller) {
      const found = new Map<string, OutageInfo>();
      if (((await processes.tally()).get("paused") ?? 0) > 0)
        for await (const row of rowsOf(processes, caller)) note(found, row);
      return { outages: [...found.values()].sort((a, b) => a.nextTryAt - b.nextTryAt) };
    },
  };
}

export function providerOf(model: string): string {
  return model.split(/[/:]/)[0] ?? model;
}

function note(found: Map<string, OutageInfo>, { pid, ownerUid, state, waitsFor }: ProcessRow): void {
  if (state !== "paused" || waitsFor?.kind !== "outage") return;
  const { model, reason, until, since = until, looks = 1 } = waitsFor;
  const provider = providerOf(model);
  const key = `${ownerUid} ${provider}`;
  const one = { provider, class: waitsFor.class, reason, since, nextTryAt: until, looks, waiting: 1, pids: [pid] };
  const known = found.get(key);
  if (known === undefined) found.set(key, one);
  else
    found.set(key, {
      ...known,
      since: Math.min(known.since, since),
      nextTryAt: Math.min(known.nextTryAt, until),
      looks: Math.max(known.looks, looks),
      waiting: known.waiting + 1,
      pids: known.pids.length < PIDS_SHOWN_MAX ? [...known.pids, pid] : known.pids,
    });
}

async function* rowsOf(processes: ProcessRows, caller: Caller): AsyncGenerator<ProcessRow> {
  const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
  for (let after: Parameters<ProcessRows["list"]>[0]["after"]; ; ) {
    const rows = await processes.list({ ...owner, limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { createdAt: last.createdAt, id: last.pid };
  }
}
