// The outbox: changes of a process on their way to kernel.db. A row is written in the transaction of the change and removed once kernel.db has it.

import type { Approval, RunEnd, RunStatus, State, UsageRow, WaitsFor } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";

/** What kernel.db shows of a process; the latest one wins. */
export interface Projection {
  readonly state: State;
  readonly activeRunId: string | null;
  readonly queued: number;
  readonly lastActiveAt: number | null;
  readonly waitsFor: WaitsFor | null;
  /** How the last run ended. */
  readonly lastStatus: RunStatus | null;
}

/** Sent to the parent once, when a `wait` on the process would return. */
export interface EndedNotice {
  readonly runId: string | null;
  readonly text: string;
}

export interface OutboxRow {
  readonly seq: number;
  readonly projection: Projection;
  readonly approvals: readonly Approval[];
  readonly ended: EndedNotice | null;
  /** Usage to charge; absent in rows of older versions. */
  readonly usage?: readonly UsageRow[];
}

export interface OutboxVerbs {
  /** Rows after this number. */
  outbox(pid: string, afterSeq?: number): Promise<readonly OutboxRow[]>;
  clearOutbox(pid: string, throughSeq: number): Promise<void>;
}

export function outboxVerbs(
  dbOf: (pid: string) => Db,
  write: (pid: string, step: (db: Db) => void) => void,
): OutboxVerbs {
  return {
    async outbox(pid, afterSeq = 0) {
      const rows = dbOf(pid).all<{ body_json: string }>(
        "SELECT body_json FROM outbox WHERE seq > ? ORDER BY seq",
        afterSeq,
      );
      return rows.map((row) => JSON.parse(row.body_json) as OutboxRow);
    },
    clearOutbox: async (pid, throughSeq) => write(pid, (db) => db.run("DELETE FROM outbox WHERE seq <= ?", throughSeq)),
  };
}

export function putOutbox(db: Db, row: OutboxRow): void {
  db.run("INSERT INTO outbox (seq, body_json) VALUES (?, ?)", row.seq, JSON.stringify(row));
}

// kernel.db ignores outbox numbers that it has seen. Each kernel start and each recreated database begins above all earlier numbers, even
// if a power cut lost the newest rows.
export function outboxSeqBefore(kernelGeneration: number, recreated: number): number {
  return kernelGeneration * 2 ** 32 + recreated * 2 ** 24;
}

const ENDED_CHARS_MAX = 500;

export function endedText({ status, error, text }: RunEnd): string {
  const tail = error ?? text ?? "";
  if (tail === "") return status;
  return `${status}: ${tail.length > ENDED_CHARS_MAX ? `${tail.slice(0, ENDED_CHARS_MAX - 1).toWellFormed()}…` : tail}`;
}

/** When the first open request expires, or the pause ends by itself. */
export function firstInstant(rows: readonly OutboxRow[]): number | null {
  const requests = rows.flatMap(({ approvals }) => approvals.filter(({ decision }) => decision === null));
  const waitsFor = rows.at(-1)?.projection.waitsFor ?? null;
  const pause = waitsFor !== null && "until" in waitsFor ? waitsFor.until : null;
  const instants = [...requests.map(({ expiresAt }) => expiresAt), pause ?? null].filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}
