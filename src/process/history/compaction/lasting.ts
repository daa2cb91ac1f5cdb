// What should last of a history that is about to be put away: written into the memory of the day, as a compaction does. A reset waits for it,
// and not for long; whatever goes wrong with it keeps nobody from being reset.

import { messageOf } from "../../../abi/errno.ts";
import type { Model } from "../../../kernel/models/model.ts";
import type { Clock } from "../../../lib/clock.ts";
import { abortAfter } from "../../../lib/wait.ts";
import { OFFLINE } from "../../../providers/table.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { UsageRows } from "../../../store/kernel/processes/usage.ts";
import type { Compactor } from "./compactor.ts";

export interface LastingPorts {
  readonly compactor: Pick<Compactor, "lastingOf">;
  /** Who would answer the process now, and who stands in. */
  readonly modelsOf: (row: ProcessRow) => Promise<readonly [Model, ...Model[]]>;
  readonly usage: Pick<UsageRows, "charge">;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

const PATIENCE_MS = 20_000;
/** What these say is not worth a question to a model. */
const UNPAID: readonly string[] = [OFFLINE.provider, "script"];

/** Of a process that is at work, or held back from spending, nothing is asked. */
export async function keepLasting(ports: LastingPorts, row: ProcessRow): Promise<void> {
  const { compactor, modelsOf, usage, clock, log } = ports;
  if (row.state !== "idle") return;
  try {
    const models = await modelsOf(row);
    if (UNPAID.includes(models[0].name.split(/[/:]/)[0] ?? "")) return;
    const began = clock.mono();
    const spent = await abortAfter(clock, PATIENCE_MS, (signal) => compactor.lastingOf(row, { models, signal }));
    if (spent === null) return;
    const { model, usage: used, priced } = spent;
    const ms = Math.round(clock.mono() - began);
    await usage.charge({ ownerUid: row.ownerUid, pid: row.pid }, { model, usage: used, priced, ms, now: clock.now() });
  } catch (error) {
    log(`no memories extracted from ${row.pid}: ${messageOf(error)}`);
  }
}
