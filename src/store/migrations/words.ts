// Schema of index.db. The index is derived: another version is rebuilt, not migrated.

import type { Schema } from "../migrate.ts";

export const INDEX_SCHEMA: Schema = {
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
