// Answered requests, by request id: a repeated call gets the stored answer and does nothing.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Receipt } from "../../objects/objects.ts";
import type { Db } from "../open.ts";
import type { KernelDb } from "./db.ts";

export interface RequestRows {
  answered(
    uid: number,
    requestId: string,
    bodyHash: string,
  ): Promise<{ readonly answer: unknown; readonly sameBody: boolean } | null>;
  /** The latest request with this body; by anybody if no account is named. */
  latest(bodyHash: string, uid?: number): Promise<{ readonly at: number; readonly answer: unknown } | null>;
  remember(row: Receipt): Promise<void>;
  /** Replaces the answer of a remembered request. */
  replace(row: Pick<Receipt, "uid" | "requestId" | "answer">): Promise<void>;
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
    async latest(bodyHash, uid) {
      const row = db.get<{ at: number; answer_json: string }>(
        "SELECT created_at AS at, answer_json FROM requests WHERE body_hash = ?1 AND (?2 IS NULL OR uid = ?2) ORDER BY created_at DESC LIMIT 1",
        bodyHash,
        uid ?? null,
      );
      return row === null ? null : { at: row.at, answer: JSON.parse(row.answer_json) as unknown };
    },
    async remember(row) {
      kernel.write("full", (tx) => putRequest(tx, row));
    },
    async replace({ uid, requestId, answer }) {
      kernel.write("normal", () =>
        db.run(
          "UPDATE requests SET answer_json = ? WHERE uid = ? AND request_id = ?",
          ...[JSON.stringify(answer), uid, requestId],
        ),
      );
    },
    async sweep(now) {
      kernel.write("normal", () => db.run("DELETE FROM requests WHERE created_at < ?", now - LIMITS.requestsKeptMs));
    },
  };
}

/** Within the transaction that carries the request out. The first answer stays. */
export function putRequest(tx: Db, { uid, requestId, bodyHash, answer, now }: Receipt): void {
  tx.run(
    "INSERT OR IGNORE INTO requests (uid, request_id, body_hash, answer_json, created_at) VALUES (?, ?, ?, ?, ?)",
    uid,
    requestId,
    bodyHash,
    JSON.stringify(answer),
    now,
  );
}
