// Providers that do not answer, found from the processes that wait for them.

import { isRoot } from "../../abi/identity.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { OutageInfo, OutageReports } from "../../syscalls/run/ai.ts";

const PIDS_SHOWN_MAX = 100;

export function outageReports({ processes }: { readonly processes: Pick<ProcessRows, "paused"> }): OutageReports {
  return {
    async list(caller) {
      const found = new Map<string, OutageInfo>();
      for (const row of await processes.paused())
        if (isRoot(caller) || row.ownerUid === caller.ownerUid) note(found, row);
      return { outages: [...found.values()].sort((a, b) => a.nextTryAt - b.nextTryAt) };
    },
  };
}

export function providerOf(model: string): string {
  return model.split(/[/:]/)[0] ?? model;
}

function note(found: Map<string, OutageInfo>, { pid, ownerUid, waitsFor }: ProcessRow): void {
  if (waitsFor?.kind !== "outage") return;
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
