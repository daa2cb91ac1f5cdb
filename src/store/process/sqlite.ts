// The process store over SQLite, one file per process. Each verb is one transaction: durability, guards, head, and a step from the
// file of its group. A fenced verb changes nothing.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Approval } from "../../abi/process/process.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { type Db, type Durability, StoreCorrupt, StoreUnavailable } from "../open.ts";
import { answer, approvedAs, ask, heldCall } from "./approvals.ts";
import { begin, recoverRun } from "./begin.ts";
import { causeVerbs } from "./cause.ts";
import { abortRun, clearClosed, closingRecords, cut, seal, takeBack } from "./closing.ts";
import { changeVerbs } from "./files/changes.ts";
import { fileVerbs, ProcessFiles, type ProcessFilesOptions } from "./files/files.ts";
import { knownVerbs } from "./files/known.ts";
import { type Head, HeadRow, kernelGenerationOf } from "./head.ts";
import { history, logCall, messageText, trace } from "./history/history.ts";
import { rewindVerbs } from "./history/rewinds.ts";
import { segmentVerbs } from "./history/segments.ts";
import { admit, claim, enterWaiting } from "./inbox.ts";
import { nest, nested } from "./nested.ts";
import { outboxVerbs } from "./outbox.ts";
import { isRefusal, type Outcome, type Refusal } from "./outcome.ts";
import { promptVerbs } from "./prompts.ts";
import { repeats } from "./repeats.ts";
import { runReads } from "./rows.ts";
import { sweepRows } from "./sweep.ts";
import { timingVerbs } from "./timing.ts";
import {
  addNote,
  beginCall,
  cancelCalls,
  commitTurn,
  endCall,
  finishRun,
  openCall,
  openCalls,
  spend,
} from "./turns.ts";
import type { ProcessStore } from "./verbs.ts";

export interface ProcessStoreOptions extends ProcessFilesOptions {
  /** Number of this kernel start. A later start fences all writes of this one. */
  readonly kernelGeneration: number;
  /** Rows to keep in the syscall log. */
  readonly logRows?: () => number | undefined;
}

const OLDEST_QUEUED = "SELECT min(created_at) AS at FROM message_queue WHERE wakes = 1";

export function sqliteProcessStore(options: ProcessStoreOptions): ProcessStore {
  const files = new ProcessFiles(options);

  /** One guarded transaction. A refusal is returned before anything is written. */
  function verb<T>(pid: string, durability: Durability, step: (db: Db, head: HeadRow) => T | Refusal): Outcome<T> {
    const db = files.get(pid);
    return db.write(durability, () => {
      const head = new HeadRow(db);
      if (head.kernelGeneration !== options.kernelGeneration) return { ok: false, why: "fenced" };
      const value = step(db, head);
      if (isRefusal(value)) return { ok: false, why: value };
      head.save();
      return { ok: true, value, replay: false };
    });
  }

  /** For writes without an answer: skipped if another kernel took over. */
  function unlessFenced(pid: string, step: (db: Db) => void): void {
    const db = files.get(pid);
    db.write("normal", () => {
      if (kernelGenerationOf(db) === options.kernelGeneration) step(db);
    });
  }

  /** For the owner of a run: only while its epoch is current. */
  function owned<T>(
    pid: string,
    epoch: number,
    durability: Durability,
    step: (db: Db, head: HeadRow) => T | Refusal,
  ): Outcome<T> {
    return verb(pid, durability, (db, head) => (head.epoch === epoch ? step(db, head) : "fenced"));
  }

  /** For requests from outside: the same key with the same content gets the first answer. */
  function keyed<T>(
    pid: string,
    key: string,
    content: unknown,
    now: number,
    step: (db: Db, head: HeadRow) => T | Refusal,
  ): Outcome<T> {
    const hash = sha256Hex(JSON.stringify(content));
    const db = files.get(pid);
    const known = storedAnswer(db, key);
    if (known !== null) {
      if (known.hash !== hash) return { ok: false, why: "conflict" };
      return { ok: true, value: known.value as T, replay: true };
    }
    return verb(pid, "full", (_, head) => {
      const value = step(db, head);
      if (!isRefusal(value)) storeAnswer(db, key, hash, value, now);
      return value;
    });
  }

  return {
    async create(pid, about) {
      await files.create(pid, (db) => begin(db, { pid, ...about }, { ...options, quarantined: files.quarantined }));
    },

    async adopt(pid, { now, crashed = true }) {
      const db = files.get(pid);
      return db.write("normal", () => {
        const head = new HeadRow(db);
        if (head.pid() !== pid) throw new StoreCorrupt(`the database of ${pid} holds no process`);
        // Not StoreCorrupt: a repair would move the database away while the other kernel uses it.
        if (head.kernelGeneration > options.kernelGeneration)
          throw new StoreUnavailable("busy", `not saved: another kernel has taken over ${pid}`);
        const isFirst = head.kernelGeneration !== options.kernelGeneration;
        head.takeOver(options.kernelGeneration);
        const ends = isFirst ? recoverRun(db, head, { now, crashed }) : [];
        head.save();
        return { head: headOf(head), ends };
      });
    },

    async admit(pid, message) {
      const content = ["admit", message.kind, message.text, message.urgent, message.source];
      return keyed(pid, message.requestKey, content, message.now, (db, head) => admit(db, head, message));
    },

    async claim(pid, { now }) {
      const claimed = verb(pid, "normal", (db, head) => claim(db, head, now));
      return claimed.ok ? claimed.value : null;
    },

    commitTurn: async (pid, epoch, turn) => owned(pid, epoch, "full", (db, head) => commitTurn(db, head, turn)),

    openCalls: async (pid, runId) => openCalls(files.get(pid), runId),

    async beginCall(pid, epoch, dispatchId) {
      const effect = openCall(files.get(pid), dispatchId)?.repeat !== "read";
      return owned(pid, epoch, effect ? "full" : "normal", (db, head) => {
        const call = openCall(db, dispatchId);
        // A call that waits for approval must not start.
        if (call === null || call.status === "asking" || call.status === "answered") return "fenced";
        beginCall(db, head, dispatchId);
        return null;
      });
    },

    async endCall(pid, epoch, dispatchId, result) {
      const effect = openCall(files.get(pid), dispatchId)?.repeat !== "read";
      return owned(pid, epoch, effect ? "full" : "normal", (db, head) => {
        const seq = endCall(db, head, dispatchId, result);
        return seq === null ? "fenced" : { seq };
      });
    },

    async nest(pid, epoch, request) {
      return owned(pid, epoch, "normal", (db, head) => nest(db, head, request));
    },

    nested: async (pid, block) => nested(files.get(pid), block),

    async ask(pid, epoch, requests) {
      return owned(pid, epoch, "full", (db, head) => ask(db, head, requests));
    },

    async answer(pid, given) {
      return verb(pid, "full", (db, head) => answer(db, head, given));
    },

    async boundary(pid, epoch, { runId, enter, now }) {
      return owned(pid, epoch, "normal", (db, head) => {
        if (head.currentRun !== runId) return "fenced";
        if (head.stopped || head.paused !== null || head.blocking() !== null) {
          head.move("leave");
          return { entered: [], leave: true };
        }
        if (!enter) return { entered: [], leave: false };
        if (head.state === "waiting_tool") head.move("results");
        return { entered: enterWaiting(db, head, runId, now), leave: false };
      });
    },

    async finish(pid, epoch, run) {
      return owned(pid, epoch, "full", (db, head) => {
        if (head.currentRun !== run.runId) return "fenced";
        cancelCalls(db, head, run.runId, "cancelled: the run ended", run.now);
        if (run.note !== null) addNote(db, head, { runId: run.runId, note: run.note, now: run.now });
        return finishRun(db, head, { ...run, text: null });
      });
    },

    async retry(pid, epoch, { runId, retrying, isPaused }) {
      const step = (_: Db, head: HeadRow) => (head.currentRun === runId ? head.retry(retrying, isPaused) : "fenced");
      return owned(pid, epoch, "full", step);
    },

    async waste(pid, spent) {
      verb(pid, "normal", (db, head) => spend(db, head, { ...spent, turn: 0, wasted: true }));
    },
    repeats: async (pid, dispatchId) => repeats(files.get(pid), dispatchId),

    async fail(pid) {
      verb(pid, "full", (_, head) => {
        head.epoch++;
        head.move("fail");
        return null;
      });
    },

    async setStopped(pid, request) {
      return verb(pid, "full", (_, head) => {
        head.setStopped(request);
        return headOf(head);
      });
    },

    async restart(pid, epoch, { runId, restarts, waitsFor }) {
      return owned(pid, epoch, "full", (_, head) =>
        head.currentRun === runId ? head.restart(restarts, waitsFor) : "fenced",
      );
    },

    async pause(pid, waitsFor, { model }) {
      return verb(pid, "full", (_, head) => {
        head.pause(waitsFor, model);
        return headOf(head);
      });
    },

    async abort(pid, { runId, reason, requestKey, now, onlyQueued = false }) {
      return keyed(pid, requestKey, ["abort", runId], now, (db, head) => {
        if (!onlyQueued && (runId === null || head.currentRun === runId)) return abortRun(db, head, reason, now);
        const none = { aborted: false, runId: null, interruptedToolCalls: 0, ends: [], withdrawn: [], nextRunId: null };
        return (runId === null ? null : takeBack(db, head, runId, now)) ?? none;
      });
    },

    async cut(pid, closing) {
      return verb(pid, "full", (db, head) => {
        if (head.closing !== null) {
          // The same request again, after a crash or a client's retry: continue.
          if (head.closing.reason === closing.reason) return { closing: head.closing, ends: [], withdrawn: [] };
          if (head.closing.reason === "kill") return "no-process";
        }
        return cut(db, head, closing);
      });
    },

    async closingRecords(pid, after, limit) {
      const db = files.get(pid);
      const { closing } = new HeadRow(db, "read");
      if (closing === null) return { records: [], messages: 0, undelivered: 0, next: null };
      return closingRecords(db, closing, after, limit);
    },

    clearClosed: async (pid) => cleared(files.get(pid), verb(pid, "normal", clearClosed)),

    async seal(pid, { answer: result, now }) {
      const db = files.get(pid);
      const sealed = verb(pid, "full", (_, head) => {
        if (head.closing !== null) storeAnswer(db, head.closing.requestKey, "", result, now);
        seal(db, head);
        return null;
      });
      // --no-archive promises deletion: remove the rows from the WAL, too.
      if (sealed.ok) db.script("PRAGMA wal_checkpoint(TRUNCATE)");
    },

    async queuedSince(pid) {
      return files.get(pid).get<{ at: number }>(OLDEST_QUEUED)?.at ?? null;
    },

    async answered(pid, requestKey) {
      return files.exists(pid) ? ((storedAnswer(files.get(pid), requestKey)?.value ?? null) as object | null) : null;
    },

    head: async (pid) => headOf(new HeadRow(files.get(pid), "read")),
    projection: async (pid) => new HeadRow(files.get(pid), "read").projection(),
    history: async (pid, query) => history(files.get(pid), query),
    messageText: async (pid, piece) => messageText(files.get(pid), piece),
    ...runReads((pid) => files.get(pid)),
    openApproval: async (pid): Promise<Approval | null> => new HeadRow(files.get(pid), "read").openApproval(),
    approvedAs: async (pid, dispatchId) => approvedAs(files.get(pid), pid, dispatchId),
    heldCall: async (pid, dispatchId) => heldCall(files.get(pid), dispatchId),
    trace: async (pid, query) => trace(files.get(pid), query),

    ...segmentVerbs(files, verb),
    ...rewindVerbs(files, verb),

    async logCall(pid, row) {
      unlessFenced(pid, (db) => logCall(db, row, options.logRows?.() ?? LIMITS.syscallLogRowsMax));
    },

    ...outboxVerbs((pid) => files.get(pid), unlessFenced),
    ...timingVerbs((pid) => files.get(pid), unlessFenced),
    ...causeVerbs((pid) => files.get(pid)),
    ...promptVerbs(files, unlessFenced),
    ...changeVerbs((pid) => files.get(pid), unlessFenced),
    ...knownVerbs(files, unlessFenced),
    opened: async () => files.opened(),

    async sweep(pid, old) {
      let swept = 0;
      // The process may have been killed or closed since the caller listed it.
      if (!files.opened().includes(pid)) return swept;
      unlessFenced(pid, (db) => {
        swept = sweepRows(db, old);
      });
      return swept;
    },

    ...fileVerbs(files),
  };
}

/** The log of what was deleted is written back before `seal`, which waits for it. */
function cleared(db: Db, outcome: Outcome<boolean>): boolean {
  const more = outcome.ok && outcome.value;
  if (!more) db.script("PRAGMA wal_checkpoint(PASSIVE)");
  return more;
}

function headOf(head: HeadRow): Head {
  const { epoch, nextSeq, generation, state, stopped, paused, currentRun, currentModel, lastRun } = head;
  const { closing, damagedIn, queued, retrying, stoppedWhy, restarts } = head;
  const now = { state, stopped, stoppedWhy, restarts, paused, retrying, queued };
  return { epoch, nextSeq, generation, ...now, currentRun, currentModel, lastRun, closing, damagedIn };
}

function storeAnswer(db: Db, key: string, hash: string, value: unknown, now: number): void {
  db.run("DELETE FROM requests WHERE created_at < ?", now - LIMITS.requestsKeptMs);
  db.insert(
    "requests",
    { request_id: key, body_hash: hash, answer_json: JSON.stringify(value), created_at: now },
    "REPLACE",
  );
}

function storedAnswer(db: Db, key: string): { readonly hash: string; readonly value: unknown } | null {
  const row = db.get<{ body_hash: string; answer_json: string }>(
    "SELECT body_hash, answer_json FROM requests WHERE request_id = ?",
    key,
  );
  return row === null ? null : { hash: row.body_hash, value: JSON.parse(row.answer_json) };
}
