// Calls that were carried out, by request id, with their answers: a call that is repeated is answered and not done twice.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Db } from "../open.ts";
import type { KernelDb } from "./db.ts";

/** A call that was carried out, by its own id, and what it answered. */
export interface AnsweredRequest {
  readonly uid: number;
  readonly requestId: string;
  readonly bodyHash: string;
  readonly answer: unknown;
  readonly now: number;
}

export interface RequestRows {
  answered(
    uid: number,
    requestId: string,
    bodyHash: string,
  ): Promise<{ readonly answer: unknown; readonly sameBody: boolean } | null>;
  remember(row: AnsweredRequest): Promise<void>;
  sweep(now: number): Promise<void>;
}

export function requestRows(kernel: KernelDb): RequestRows {
  const { db } = kernel;
  return {
    async answered(uid, requestId, bodyHash) {
      const row = db.get<{ body_hash: string; answer_json: string }>(
        "SELECT body_hash, answer_json FROM requests WHERE uid = ? AND request_id = ?",
        uid,
        requestId,
      );
      return row === null
        ? null
        : { answer: JSON.parse(row.answer_json) as unknown, sameBody: row.body_hash === bodyHash };
    },
    async remember(row) {
      kernel.write("full", (tx) => putRequest(tx, row));
    },
    async sweep(now) {
      kernel.write("normal", () => db.run("DELETE FROM requests WHERE created_at < ?", now - LIMITS.requestsKeptMs));
    },
  };
}

/** Part of a transaction that makes the answer true. The first answer to a request stays. */
export function putRequest(tx: Db, { uid, requestId, bodyHash, answer, now }: AnsweredRequest): void {
  tx.run(
    "INSERT OR IGNORE INTO requests (uid, request_id, body_hash, answer_json, created_at) VALUES (?, ?, ?, ?, ?)",
    uid,
    requestId,
    bodyHash,
    JSON.stringify(answer),
    now,
  );
}
