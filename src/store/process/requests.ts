// What callers from outside were answered, by the key they asked under: the same key again gets the same answer.

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
