// Creation of a process database, and its recovery by the next kernel.

import { LIMITS } from "../../abi/config/limits.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import { withdrawApprovals } from "./closing.ts";
import { HeadRow } from "./head.ts";
import { outboxSeqBefore } from "./outbox.ts";
import { cancelCalls, finishRun } from "./turns.ts";

export interface Beginning {
  readonly pid: string;
  readonly profile: string;
  readonly identity: object;
  readonly now: number;
  /** Replaces a database that was quarantined: the directory of its files. */
  readonly damagedIn?: string;
}

interface Start {
  readonly kernelGeneration: number;
  /** Databases that this kernel quarantined so far. */
  readonly quarantined: number;
}

/** Stores identity and first numbers. Idempotent. */
export function begin(db: Db, { pid, profile, identity, now, damagedIn }: Beginning, start: Start): void {
  db.write("full", () => {
    const values = {
      pid,
      profile,
      identity,
      kernel_generation: start.kernelGeneration,
      outbox_seq: outboxSeqBefore(start.kernelGeneration, start.quarantined),
      created_at: now,
      // Message numbers must not restart: begin above every number of the lost database.
      ...(damagedIn === undefined ? {} : { next_seq: Math.floor(now / 1000), damaged_in: damagedIn }),
    };
    for (const [key, value] of Object.entries(values)) {
      db.run(
        "INSERT INTO process_kv (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
        key,
        JSON.stringify(value),
      );
    }
    if (damagedIn === undefined) return;
    const head = new HeadRow(db);
    head.move("fail");
    head.save();
  });
}

/** A run that an earlier kernel executed continues, unless too many kernels died within it. */
export function recoverRun(
  db: Db,
  head: HeadRow,
  { now, crashed }: { readonly now: number; readonly crashed: boolean },
): RunEnd[] {
  const runId = head.currentRun;
  // A run that waits was not being executed when the kernel died.
  const waits = head.retrying !== null && head.retrying.waitsFor !== null;
  const carried = (head.state === "running" && !waits) || head.state === "waiting_tool";
  head.move("recover");
  if (runId === null || !carried || !crashed) return [];
  const row = db.get<{ deaths: number }>(
    "UPDATE runs SET deaths = deaths + 1 WHERE run_id = ? RETURNING deaths",
    runId,
  );
  if (row === null || row.deaths < LIMITS.runDeathsMax) return [];
  head.epoch++;
  withdrawApprovals(db, head, now);
  cancelCalls(db, head, runId, "cancelled: the run was aborted", now);
  const error = `aborted: the kernel crashed ${row.deaths} times during this run`;
  return finishRun(db, head, { runId, status: "error", reason: "kernel.deaths", error, text: null, now });
}
