// The verbs of segment-verbs.ts over SQLite: each its transaction, with the durability of what is acknowledged.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { HistoryPolicy } from "../../../abi/process/segment.ts";
import type { Db, Durability } from "../../open.ts";
import type { ProcessFiles } from "../files/files.ts";
import { HeadRow } from "../head.ts";
import type { Outcome, Refusal } from "../verbs.ts";
import { graft } from "./graft.ts";
import type { SegmentVerbs } from "./segment-verbs.ts";
import { compact, context, contextShape, segments, undoCompaction } from "./segments.ts";

type Verb = <T>(pid: string, durability: Durability, step: (db: Db, head: HeadRow) => T | Refusal) => Outcome<T>;

const POLICY = "history_policy";

export function segmentVerbs(files: ProcessFiles, verb: Verb): SegmentVerbs {
  return {
    context: async (pid) => context(files.get(pid), LIMITS.contextBytesMax),
    async contextShape(pid) {
      const db = files.get(pid);
      return contextShape(db, new HeadRow(db), LIMITS.contextBytesMax);
    },
    compact: async (pid, wish) => verb(pid, "full", (db, head) => compact(db, head, wish)),
    undoCompaction: async (pid, { now }) => verb(pid, "full", (db, head) => undoCompaction(db, head, now)),
    segments: async (pid) => files.rows(pid, "segments", segments),

    async historyPolicy(pid) {
      const row = files.get(pid).get<{ value: string }>("SELECT value FROM process_kv WHERE key = ?", POLICY);
      return row === null ? null : (JSON.parse(row.value) as HistoryPolicy);
    },
    setHistoryPolicy: async (pid, policy) =>
      verb(pid, "full", (db) => {
        db.run("DELETE FROM process_kv WHERE key = ?", POLICY);
        if (policy !== null)
          db.run("INSERT INTO process_kv (key, value) VALUES (?, ?)", POLICY, JSON.stringify(policy));
        return null;
      }),

    graft: async (pid, part) => verb(pid, "full", (db, head) => graft(db, head, part)),
  };
}
