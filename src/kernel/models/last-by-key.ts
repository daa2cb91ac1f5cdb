// The model that an account used last by a key: of the last runs that got an answer, or of a run that waits for its provider.

import { providerNames, serverOf } from "../../providers/table.ts";
import type { ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { UsageRows } from "../../store/kernel/processes/usage.ts";
import type { Asker } from "./model-access.ts";
import { providerOf } from "./outages.ts";

export interface InUsePorts {
  readonly usage: Pick<UsageRows, "runs">;
  readonly processes: Pick<ProcessRows, "paused">;
}

const RUNS_LOOKED_AT = 50;

export async function lastByKey(
  { usage, processes }: InUsePorts,
  { uid }: Pick<Asker, "uid">,
): Promise<string | undefined> {
  const runs = await usage.runs({ ownerUid: uid, limit: RUNS_LOOKED_AT });
  const answered = runs.find(({ model, tokens }) => tokens > 0 && isByKey(providerOf(model)));
  if (answered !== undefined) return answered.model;
  const waited = (await processes.paused()).flatMap(({ ownerUid, waitsFor }) =>
    ownerUid === uid && waitsFor?.kind === "outage" ? [waitsFor.model] : [],
  );
  return waited.find((model) => isByKey(providerOf(model)));
}

function isByKey(provider: string): boolean {
  return providerNames().includes(provider) && serverOf(provider)?.byKey === true;
}
