// Answers to requests from outside, by request key: a repeated key gets the stored answer.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Db } from "../open.ts";

export function storeAnswer(db: Db, key: string, hash: string, value: unknown, now: number): void {
  db.run("DELETE FROM requests WHERE created_at < ?", now - LIMITS.requestsKeptMs);
  db.run(
    "INSERT OR REPLACE INTO requests (request_id, body_hash, answer_json, created_at) VALUES (?, ?, ?, ?)",
    key,
    hash,
    JSON.stringify(value),
    now,
  );
}

export function storedAnswer(db: Db, key: string): { readonly hash: string; readonly value: unknown } | null {
  const row = db.get<{ body_hash: string; answer_json: string }>(
    "SELECT body_hash, answer_json FROM requests WHERE request_id = ?",
    key,
  );
  return row === null ? null : { hash: row.body_hash, value: JSON.parse(row.answer_json) };
}
