// Rows of the object store: metadata by key, and intents, which make bytes and rows agree after a crash. Bytes are moved only under a
// durable intent.

import type { ObjectIntent, ObjectMeta, ObjectRows } from "../../objects/objects.ts";
import type { Db, Row } from "../open.ts";
import type { KernelDb } from "./db.ts";
import { putRequest } from "./requests.ts";

interface ObjectRow extends Row {
  readonly key: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  readonly mtime_ms: number;
  readonly dirmarker: number;
  readonly symlink: string | null;
}

/** Answers kept until the next change, and the most rows of one. */
const ANSWERS_MAX = 500;
const ROWS_MAX = 50;

/** Of kernel.db. Every prompt looks at the same 60 keys: the kernel, which alone changes the rows, reads them once after each change. */
export function objectRows(kernel: KernelDb): ObjectRows {
  const { db } = kernel;
  const answers = new Map<string, readonly ObjectMeta[]>();

  function known(question: string, read: () => readonly ObjectRow[]): readonly ObjectMeta[] {
    const answer = answers.get(question);
    if (answer !== undefined) return answer;
    const metas = read().map(metaOf);
    if (!kernel.isWriter || metas.length > ROWS_MAX) return metas;
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(question, metas);
    return metas;
  }

  function changed<T>(change: () => T): T {
    try {
      return change();
    } finally {
      answers.clear();
    }
  }

  return {
    async get(key) {
      const [meta] = known(`get ${key}`, () => db.all<ObjectRow>("SELECT * FROM objects WHERE key = ?", key));
      return meta ?? null;
    },

    async some(keys) {
      const text = "SELECT * FROM objects WHERE key IN (SELECT value FROM json_each(?))";
      const list = JSON.stringify(keys);
      return known(`some ${list}`, () => db.all<ObjectRow>(text, list));
    },

    async page(prefix, after, limit) {
      return known(`page ${limit} ${JSON.stringify([prefix, after])}`, () => pageOf(db, { prefix, after, limit }));
    },

    async put(meta) {
      changed(() => kernel.write("full", (tx) => putRow(tx, meta)));
    },

    async holds(sha256) {
      return db.get("SELECT 1 AS one FROM objects WHERE sha256 = ? LIMIT 1", sha256) !== null;
    },

    async intend(...intents) {
      kernel.write("full", (tx) => {
        for (const intent of intents)
          tx.run("INSERT INTO object_intents VALUES (?, ?, ?)", intent.id, intent.kind, JSON.stringify(intent));
      });
    },

    intents: async () => intentsIn(db),

    async fulfil(intent, outcome) {
      // A completed change needs no sync of its own: if the disk loses it, the intent is still there, and recovery completes it again. The
      // next intent syncs it.
      changed(() =>
        kernel.write(outcome === "done" ? "normal" : "full", (tx) => {
          if (outcome === "done") applyIntent(tx, intent);
          tx.run("DELETE FROM object_intents WHERE id = ?", intent.id);
        }),
      );
    },
  };
}

/** Keys with one prefix are adjacent in key order: read from the first one, stop at the first other key. */
function pageOf(
  db: Db,
  { prefix, after, limit }: { readonly prefix: string; readonly after: string | null; readonly limit: number },
): readonly ObjectRow[] {
  const rows = db.all<ObjectRow>(
    "SELECT * FROM objects WHERE key >= ? AND key > ? ORDER BY key LIMIT ?",
    prefix,
    after ?? "",
    limit,
  );
  const stranger = rows.findIndex((row) => !row.key.startsWith(prefix));
  return stranger === -1 ? rows : rows.slice(0, stranger);
}

export function intentsIn(db: Db): readonly ObjectIntent[] {
  return db
    .all<{ body_json: string }>("SELECT body_json FROM object_intents ORDER BY id")
    .map((row) => JSON.parse(row.body_json) as ObjectIntent);
}

/** Changes the rows as the intent says. */
export function applyIntent(db: Db, intent: ObjectIntent): void {
  if (intent.receipt !== undefined) putRequest(db, intent.receipt);
  switch (intent.kind) {
    case "put":
      putRow(db, intent.meta);
      return;
    case "remove":
      db.run("DELETE FROM objects WHERE key = ?", intent.key);
      return;
    case "rename":
      renameRows(db, intent.from, intent.to);
  }
}

function putRow(db: Db, meta: ObjectMeta): void {
  db.run(
    "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    meta.key,
    meta.uid,
    meta.gid,
    meta.mode,
    meta.type,
    meta.size,
    meta.sha256,
    meta.mtimeMs,
    meta.dirmarker ? 1 : 0,
    meta.symlink,
  );
}

/** The object, or everything below it: "0" follows "/" in ASCII, so the range holds exactly the children. */
function renameRows(db: Db, from: string, to: string): void {
  db.run("DELETE FROM objects WHERE key = ? AND EXISTS (SELECT 1 FROM objects WHERE key = ?)", to, from);
  db.run(
    "UPDATE objects SET key = ? || substr(key, ?) WHERE key = ? OR (key > ? AND key < ?)",
    to,
    [...from].length + 1, // substr counts characters, not UTF-16 units
    from,
    `${from}/`,
    `${from}0`,
  );
}

function metaOf(row: ObjectRow): ObjectMeta {
  const { mtime_ms, dirmarker, ...rest } = row;
  return { ...rest, mtimeMs: mtime_ms, dirmarker: dirmarker === 1 };
}
