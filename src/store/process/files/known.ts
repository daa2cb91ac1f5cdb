// Files that a process read or wrote: the last version it saw, and the text of short files, for showing what others changed since.
// Bounded: old texts are forgotten first, then old rows. A reset forgets everything.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { Db, Row } from "../../open.ts";
import type { ProcessFiles } from "./files.ts";

export interface KnownFile {
  /** "gsv" or "host". */
  readonly target: string;
  /** The path without symlinks. */
  readonly path: string;
  readonly version: string;
  readonly how: "read" | "wrote";
  readonly runId: string | null;
  readonly at: number;
}

export interface KnownVerbs {
  /** `text`: the whole content, or null to store none. */
  knowFile(pid: string, file: KnownFile & { readonly text: string | null }): Promise<void>;
  knownFile(
    pid: string,
    place: Pick<KnownFile, "target" | "path">,
  ): Promise<(KnownFile & { readonly text: string | null }) | null>;
  forgetFile(pid: string, place: Pick<KnownFile, "target" | "path">): Promise<void>;
  /** Newest first. */
  knownFiles(
    pid: string,
    which: { readonly place?: Pick<KnownFile, "target" | "path">; readonly limit: number },
  ): Promise<readonly KnownFile[]>;
}

interface Columns extends Row {
  readonly target: string;
  readonly path: string;
  readonly version: string;
  readonly how: KnownFile["how"];
  readonly run_id: string | null;
  readonly at: number;
}

const COLUMNS = "target, path, version, how, run_id, at";

export function knownVerbs(files: ProcessFiles, write: (pid: string, step: (db: Db) => void) => void): KnownVerbs {
  return {
    async knowFile(pid, file) {
      write(pid, (db) => know(db, file));
    },

    async knownFile(pid, { target, path }) {
      const row = files
        .get(pid)
        .get<Columns & { readonly text: string | null }>(
          `SELECT ${COLUMNS}, text FROM known_files WHERE target = ? AND path = ?`,
          ...[target, path],
        );
      return row === null ? null : { ...knownFrom(row), text: row.text };
    },

    async forgetFile(pid, { target, path }) {
      write(pid, (db) => db.run("DELETE FROM known_files WHERE target = ? AND path = ?", target, path));
    },

    async knownFiles(pid, { place, limit }) {
      if (place === undefined)
        return files
          .rows(pid, "known files", (db) =>
            db.all<Columns>(`SELECT ${COLUMNS} FROM known_files ORDER BY id DESC LIMIT ?`, limit),
          )
          .map(knownFrom);
      const { target, path } = place;
      return files
        .get(pid)
        .all<Columns>(
          `SELECT ${COLUMNS} FROM known_files WHERE target = ? AND path = ? ORDER BY id DESC LIMIT ?`,
          ...[target, path, limit],
        )
        .map(knownFrom);
    },
  };
}

function know(db: Db, { target, path, version, how, runId, at, text }: Parameters<KnownVerbs["knowFile"]>[1]): void {
  db.run("DELETE FROM known_files WHERE target = ? AND path = ?", target, path);
  db.run(
    "INSERT INTO known_files (target, path, version, how, run_id, at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[target, path, version, how, runId, at, text],
  );
  db.run(
    "DELETE FROM known_files WHERE id <= (SELECT id FROM known_files ORDER BY id DESC LIMIT 1 OFFSET ?)",
    LIMITS.knownFilesMax,
  );
  if (text === null) return;
  // octet_length does not read the texts.
  db.run(
    `UPDATE known_files SET text = NULL WHERE id IN (
       SELECT id FROM (SELECT id, sum(octet_length(text)) OVER (ORDER BY id DESC) AS bytes FROM known_files WHERE text IS NOT NULL)
       WHERE bytes > ?)`,
    LIMITS.knownTextsBytesMax,
  );
}

export function forgetKnownFiles(db: Db): void {
  db.run("DELETE FROM known_files");
}

function knownFrom({ target, path, version, how, run_id: runId, at }: Columns): KnownFile {
  return { target, path, version, how, runId, at };
}
