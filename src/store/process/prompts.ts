// Context files of a process, and the prompts of its last turns, for later display. Equal prompt texts are stored once.

import type { BillLine, LeftOut, PromptPart } from "../../abi/process/prompt.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Db } from "../open.ts";
import type { ProcessFiles } from "./files/files.ts";

export type ContextFile = { readonly name: string; readonly text: string };

/** The prompt of one turn. */
export interface StoredPrompt {
  readonly runId: string;
  readonly turn: number;
  readonly model: string;
  readonly parts: readonly PromptPart[];
  readonly leftOut: readonly LeftOut[];
  readonly bill: readonly BillLine[];
  readonly now: number;
}

export interface PromptVerbs {
  /** By name. */
  contextFiles(pid: string): Promise<readonly ContextFile[]>;
  /** Null text deletes. Returns false if nothing changed. */
  setContextFile(pid: string, file: { readonly name: string; readonly text: string | null }): Promise<boolean>;
  keepPrompt(pid: string, turn: StoredPrompt): Promise<void>;
  /** The newest try of a turn. Defaults: the last run, the last turn. Null if it is not stored. */
  keptPrompt(pid: string, which: { readonly runId?: string; readonly turn?: number }): Promise<StoredPrompt | null>;
}

const TURNS_KEPT = 100;

type Columns = { readonly body_json: string; readonly text: string };

interface Stored extends Omit<StoredPrompt, "parts"> {
  readonly parts: readonly (Omit<PromptPart, "text"> & { readonly chars: number })[];
}

export function promptVerbs(files: ProcessFiles, write: (pid: string, step: (db: Db) => void) => void): PromptVerbs {
  return {
    contextFiles: async (pid) => files.rows(pid, "context", contextFiles),

    async setContextFile(pid, { name, text }) {
      let changed = 0;
      write(pid, (db) => {
        changed =
          text === null
            ? db.run("DELETE FROM context_files WHERE name = ?", name)
            : db.run(
                "INSERT INTO context_files (name, text) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
                name,
                text,
              );
      });
      return changed > 0;
    },

    async keepPrompt(pid, prompt) {
      write(pid, (db) => keep(db, prompt));
    },

    async keptPrompt(pid, { runId, turn }) {
      const row = files.get(pid).get<Columns>(
        `SELECT body_json, text FROM prompts JOIN prompt_texts USING (sha256)
         WHERE run_id = coalesce(?1, (SELECT run_id FROM prompts ORDER BY id DESC LIMIT 1)) AND turn = coalesce(?2, turn)
         ORDER BY id DESC LIMIT 1`,
        runId ?? null,
        turn ?? null,
      );
      return row === null ? null : promptFrom(row);
    },
  };
}

function contextFiles(db: Db): readonly ContextFile[] {
  return db.all<ContextFile>("SELECT name, text FROM context_files ORDER BY name");
}

function keep(db: Db, { parts, ...prompt }: StoredPrompt): void {
  const text = parts.map((part) => part.text).join("");
  const sha256 = sha256Hex(text);
  const stored: Stored = {
    ...prompt,
    parts: parts.map(({ source, path, text: { length: chars } }) => ({ source, path, chars })),
  };
  db.run("INSERT INTO prompt_texts (sha256, text) VALUES (?, ?) ON CONFLICT DO NOTHING", sha256, text);
  db.insert("prompts", { run_id: prompt.runId, turn: prompt.turn, sha256, body_json: JSON.stringify(stored) });
  db.run("DELETE FROM prompts WHERE id <= (SELECT max(id) FROM prompts) - ?", TURNS_KEPT);
  db.run("DELETE FROM prompt_texts WHERE sha256 NOT IN (SELECT sha256 FROM prompts)");
}

function promptFrom({ body_json, text }: Columns): StoredPrompt {
  const { parts, ...prompt } = JSON.parse(body_json) as Stored;
  let at = 0;
  const whole = parts.map(({ source, path, chars }) => {
    at += chars;
    return { source, path, text: text.slice(at - chars, at) };
  });
  return { ...prompt, parts: whole };
}
