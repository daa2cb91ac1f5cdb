// index.db: full-text index of all histories, live and archived. Derived: not in backups; a damaged or outdated index is deleted and
// rebuilt. A message is identified by process and number, in an archive too.

import { existsSync, rmSync } from "node:fs";
import { SysError } from "../abi/errno.ts";
import { TimeSlice } from "../lib/clock.ts";
import { migrate, type Schema } from "./migrate.ts";
import { Db, StoreCorrupt } from "./open.ts";

const INDEX_SCHEMA: Schema = {
  component: "index",
  applicationId: 0x67737649, // "gsvI"
  migrations: [
    {
      name: "words of histories",
      statements: [
        `CREATE TABLE texts (
          id INTEGER PRIMARY KEY, pid TEXT NOT NULL, seq INTEGER NOT NULL, owner_uid INTEGER NOT NULL, role TEXT NOT NULL,
          at INTEGER NOT NULL, archive_id TEXT, UNIQUE (pid, seq)
        ) STRICT`,
        "CREATE INDEX texts_by_archive ON texts (archive_id) WHERE archive_id IS NOT NULL",
        "CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')",
        "INSERT INTO words (words, rank) VALUES ('secure-delete', 1)",
        `CREATE TABLE sources (
          kind TEXT NOT NULL CHECK (kind IN ('process', 'archive')), name TEXT NOT NULL, through INTEGER NOT NULL, as_of INTEGER NOT NULL,
          PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID`,
      ],
    },
  ],
};

export interface IndexedText {
  readonly seq: number;
  readonly role: string;
  readonly at: number;
  readonly text: string;
}

/** A part of a live process or of an archive. */
export interface IndexedPage {
  readonly pid: string;
  readonly ownerUid: number;
  /** Null for a live process. */
  readonly archiveId: string | null;
  readonly texts: readonly IndexedText[];
  /** Last indexed message number, or line of the archive. */
  readonly through: number;
  /** Marker of the source's last change. */
  readonly asOf: number;
}

export interface Mark {
  readonly through: number;
  readonly asOf: number;
}

export interface IndexQuery {
  /** FTS5 query. */
  readonly match: string;
  /** Null for all. */
  readonly ownerUid: number | null;
  readonly pid: string | null;
  readonly since: number | null;
  readonly limit: number;
}

export interface Hit {
  readonly pid: string;
  readonly seq: number;
  readonly role: string;
  readonly at: number;
  readonly archiveId: string | null;
  /** With HIT_MARKS around each hit. */
  readonly snippet: string;
}

/** Private-use characters around hits in a snippet; texts cannot contain them. */
export const HIT_MARKS = { begin: "\ue000", end: "\ue001" } as const;
const SNIPPET_TOKENS = 24;
/** A piece in which each row is a hit takes about 5 ms. */
const PIECE_ROWS = 10_000;

/** Deleted in one transaction. */
const FORGOTTEN_ROWS = 100;

type Found = { readonly id: number } & { readonly [K in keyof Omit<Hit, "snippet">]: Hit[K] };

const FIND = `SELECT texts.id, texts.pid, texts.seq, texts.role, texts.at, texts.archive_id AS archiveId
  FROM words JOIN texts ON texts.id = words.rowid
  WHERE words MATCH ?1 AND (?2 IS NULL OR texts.owner_uid = ?2) AND (?3 IS NULL OR texts.pid = ?3)
    AND (?4 IS NULL OR texts.at >= ?4) AND words.rowid BETWEEN ?6 AND ?7
  ORDER BY texts.at DESC, texts.pid, texts.seq DESC LIMIT ?5`;

type Kind = "process" | "archive";

export class HistoryIndex {
  private db: Db | null = null;

  constructor(
    private readonly path: string,
    private readonly now: () => number,
    private readonly pieceRows = PIECE_ROWS,
  ) {}

  exists(): boolean {
    return existsSync(this.path);
  }

  marks(kind: Kind): ReadonlyMap<string, Mark> {
    const rows = this.on((db) =>
      db.all<{ name: string; through: number; asOf: number }>(
        "SELECT name, through, as_of AS asOf FROM sources WHERE kind = ?",
        kind,
      ),
    );
    return new Map(rows.map(({ name, ...mark }) => [name, mark]));
  }

  /** One transaction: a page and its mark are stored together. */
  add({ pid, ownerUid, archiveId, texts, through, asOf }: IndexedPage): void {
    this.on((db) =>
      db.write("normal", () => {
        for (const { seq, role, at, text } of texts) {
          const known = db.get<{ id: number }>("SELECT id FROM texts WHERE pid = ? AND seq = ?", pid, seq);
          if (known !== null) {
            db.run("UPDATE texts SET archive_id = ? WHERE id = ?", archiveId, known.id);
            continue;
          }
          db.run(
            "INSERT INTO texts (pid, seq, owner_uid, role, at, archive_id) VALUES (?, ?, ?, ?, ?, ?)",
            ...[pid, seq, ownerUid, role, at, archiveId],
          );
          db.run("INSERT INTO words (rowid, text) VALUES (last_insert_rowid(), ?)", text);
        }
        const source = archiveId === null ? (["process", pid] as const) : (["archive", archiveId] as const);
        db.run(
          "INSERT OR REPLACE INTO sources (kind, name, through, as_of) VALUES (?, ?, ?, ?)",
          ...source,
          through,
          asOf,
        );
      }),
    );
  }

  /** Removes messages that are in neither process nor archive: below a number, or all if null. */
  async forgetLive(pid: string, belowSeq: number | null): Promise<void> {
    await this.forget("pid = ? AND archive_id IS NULL AND seq < ?", pid, belowSeq ?? Number.MAX_SAFE_INTEGER);
    if (belowSeq === null) this.on((db) => db.run("DELETE FROM sources WHERE kind = 'process' AND name = ?", pid));
  }

  async forgetArchive(archiveId: string): Promise<void> {
    await this.forget("archive_id = ?", archiveId);
    this.on((db) => db.run("DELETE FROM sources WHERE kind = 'archive' AND name = ?", archiveId));
  }

  // Deleted text must be gone from the index and from the WAL.
  private async forget(where: string, ...values: (string | number)[]): Promise<void> {
    const slice = new TimeSlice();
    let gone = 0;
    for (let more = true; more; await slice.step()) {
      const ids = this.on((db) =>
        db.all<{ id: number }>(`SELECT id FROM texts WHERE ${where} LIMIT ?`, ...values, FORGOTTEN_ROWS),
      ).map(({ id }) => id);
      if (ids.length > 0) this.on((db) => deleteRows(db, ids));
      gone += ids.length;
      more = ids.length === FORGOTTEN_ROWS;
    }
    if (gone > 0) this.on((db) => db.script("PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /** Newest first. A common word has hits everywhere, so the index is searched piece by piece. Snippets are made only for these rows. */
  async search({ match, ownerUid, pid, since, limit }: IndexQuery): Promise<readonly Hit[]> {
    const slice = new TimeSlice();
    const last = this.on((db) => db.get<{ id: number | null }>("SELECT max(id) AS id FROM texts")?.id ?? 0);
    let rows: Found[] = [];
    for (let from = 1; from <= last; from += this.pieceRows) {
      const within = [from, from + this.pieceRows - 1];
      const found = this.on((db) => db.all<Found>(FIND, ...[match, ownerUid, pid, since, limit], ...within));
      rows = [...rows, ...found].sort(byAge).slice(0, limit);
      await slice.step();
    }
    const snippets = new Map<number, string>();
    const ids = rows.map(({ id }) => id).sort((left, right) => left - right);
    while (ids.length > 0) {
      const most = (ids[0] ?? 0) + this.pieceRows;
      const next = ids.findIndex((id) => id >= most);
      const piece = ids.splice(0, next === -1 ? ids.length : next);
      for (const { id, snippet } of this.on((db) => snippetsOf(db, match, piece))) snippets.set(id, snippet);
      await slice.step();
    }
    return rows.map(({ id, ...hit }) => ({ ...hit, snippet: snippets.get(id) ?? "" }));
  }

  close(): void {
    this.db?.close();
    this.db = null;
  }

  private on<T>(work: (db: Db) => T): T {
    try {
      return work(this.opened());
    } catch (error) {
      if (!isUnusable(error)) throw error;
      this.discard();
      return work(this.opened());
    }
  }

  private opened(): Db {
    if (this.db !== null) return this.db;
    const db = new Db(this.path, { mode: "create" });
    try {
      migrate(db, INDEX_SCHEMA, { now: this.now() });
    } catch (error) {
      db.close();
      throw error;
    }
    this.db = db;
    return db;
  }

  private discard(): void {
    this.close();
    discardIndex(this.path);
  }
}

function deleteRows(db: Db, ids: readonly number[]): void {
  const all = JSON.stringify(ids);
  db.write("full", () => {
    db.run("DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))", all);
    db.run("DELETE FROM texts WHERE id IN (SELECT value FROM json_each(?))", all);
  });
}

function byAge(left: Found, right: Found): number {
  if (left.at !== right.at) return right.at - left.at;
  return left.pid < right.pid ? -1 : left.pid > right.pid ? 1 : right.seq - left.seq;
}

// "+" disables the index for rowid, so the words are looked up once and not once per row.
function snippetsOf(db: Db, match: string, ids: readonly number[]): readonly { id: number; snippet: string }[] {
  return db.all(
    `SELECT rowid AS id, snippet(words, 0, ?1, ?2, '…', ${SNIPPET_TOKENS}) AS snippet FROM words
     WHERE words MATCH ?3 AND rowid BETWEEN ?5 AND ?6 AND +rowid IN (SELECT value FROM json_each(?4))`,
    ...[HIT_MARKS.begin, HIT_MARKS.end, match, JSON.stringify(ids), ids[0] ?? 0, ids.at(-1) ?? 0],
  );
}

/** Requires exclusive access to the home. */
export function discardIndex(path: string): void {
  for (const suffix of ["-wal", "-shm", ""]) rmSync(`${path}${suffix}`, { force: true });
}

function isUnusable(error: unknown): boolean {
  return error instanceof StoreCorrupt || (error instanceof SysError && error.code === "ECONFIG");
}
