// Sessions: stable addresses of processes, and the conversations (generations) each has had. The process is created with the first
// message and removed by a kill; every reset starts a new generation. State and usage are not stored here but joined.

import type { ResetMode, ResetPolicy } from "../../../abi/process/session.ts";
import type { Db } from "../../open.ts";
import type { KernelDb, ListCursor } from "../db.ts";

export interface SessionRow {
  readonly id: string;
  readonly ownerUid: number;
  /** Session key; null if the session is known only by its id. */
  readonly key: string | null;
  /** Null before the first message and after a kill. */
  readonly pid: string | null;
  /** From the key: `main`, or the name of an agent account. */
  readonly agentId: string | null;
  readonly projectId: string | null;
  /** Name, working directory and first prompt of its process. */
  readonly name: string;
  readonly workDir: string | null;
  readonly initialPrompt: string;
  /** Channel of its messages: cli, or another. */
  readonly source: string;
  /** Who writes in it, in the channel's own spelling; null if only the key says it. */
  readonly sender: string | null;
  /** Final status, if the process cannot report it; else null. */
  readonly outcome: "stopped" | "error" | null;
  readonly restartCount: number;
  readonly councilLaunchId: string | null;
  readonly councilRole: string | null;
  /** Automatic reset; null until the first message copies the default. */
  readonly resetPolicy: ResetPolicy | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewSession = Pick<SessionRow, "id" | "ownerUid" | "createdAt"> & Partial<Omit<SessionRow, "updatedAt">>;

export type SessionChange = Partial<
  Pick<
    SessionRow,
    | "name"
    | "workDir"
    | "initialPrompt"
    | "outcome"
    | "restartCount"
    | "resetPolicy"
    | "projectId"
    | "source"
    | "sender"
  >
>;

export interface Generation {
  /** Changes with every reset. */
  readonly id: string;
  readonly sessionId: string;
  /** From 1, without gaps. */
  readonly number: number;
  readonly pid: string;
  /** The generation that was restored into this one. */
  readonly restoredFrom: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Archive id of the reset or kill that ended it. The archive may not exist. */
  readonly closingId: string | null;
  /** Second object key of the archive; null if nothing was archived. */
  readonly key: string | null;
}

export interface SessionRows {
  get(id: string): Promise<SessionRow | null>;
  byKey(ownerUid: number, key: string): Promise<SessionRow | null>;
  ofProcess(pid: string): Promise<SessionRow | null>;
  /** Sessions with a process in which this sender writes. */
  ofSender(ownerUid: number, sender: string): Promise<readonly SessionRow[]>;
  /** Most recently active first. */
  list(query: {
    readonly ownerUid?: number;
    readonly after?: ListCursor;
    readonly limit: number;
  }): Promise<readonly (SessionRow & { readonly activeAt: number })[]>;
  /** Returns the existing session with that key, if there is one. */
  create(session: NewSession): Promise<SessionRow>;
  change(id: string, change: SessionChange, now: number): Promise<void>;
  /** Assigns the process, whose parent then gets no notices, and starts a generation. Idempotent. */
  attach(
    id: string,
    process: { readonly pid: string; readonly generationId: string; readonly now: number },
  ): Promise<void>;
  remove(id: string): Promise<void>;

  /** The open generation of a process; null if it has no session. */
  current(pid: string): Promise<Generation | null>;
  generation(id: string): Promise<Generation | null>;
  /** Generations whose ids start with the prefix, at most two: enough to see whether it is unique. */
  beginning(ownerUid: number, prefix: string): Promise<readonly Generation[]>;
  /** The generation that this archive id closed. */
  closedBy(closingId: string): Promise<Generation | null>;
  /** Newest first. */
  generations(sessionId: string, limit: number): Promise<readonly Generation[]>;
  /** Ends the open generation and starts the next (none if nextId is null). Idempotent per closing id. Returns the ended one. */
  turn(
    pid: string,
    closing: {
      readonly closingId: string;
      readonly nextId: string | null;
      readonly restoredFrom?: string | null;
      readonly now: number;
    },
  ): Promise<Generation | null>;
  /** Records the second object key of the archive; null when that object is gone. */
  keep(generationId: string, key: string | null): Promise<void>;
}

const COLUMNS =
  "id, owner_uid, session_key, pid, agent_id, project_id, name, source, sender, initial_prompt, work_dir, outcome, restart_count, council_launch_id, council_role, reset_mode, reset_at_hour, reset_idle_minutes, created_at, updated_at";

type Columns = {
  readonly id: string;
  readonly owner_uid: number;
  readonly session_key: string | null;
  readonly pid: string | null;
  readonly agent_id: string | null;
  readonly project_id: string | null;
  readonly name: string;
  readonly source: string;
  readonly sender: string | null;
  readonly initial_prompt: string;
  readonly work_dir: string | null;
  readonly outcome: SessionRow["outcome"];
  readonly restart_count: number;
  readonly council_launch_id: string | null;
  readonly council_role: string | null;
  readonly reset_mode: ResetMode | null;
  readonly reset_at_hour: number | null;
  readonly reset_idle_minutes: number | null;
  readonly created_at: number;
  readonly updated_at: number;
};

const GENERATION =
  "id, session_id AS sessionId, number, process_id AS pid, restored_from AS restoredFrom, started_at AS startedAt, ended_at AS endedAt, closing_id AS closingId, object_key AS key";

type GenerationColumns = { readonly [K in keyof Generation]: Generation[K] };

export function sessionRows(kernel: KernelDb): SessionRows {
  const { db } = kernel;
  const one = (where: string, ...values: (string | number)[]) => {
    const row = db.get<Columns>(`SELECT ${COLUMNS} FROM sessions WHERE ${where}`, ...values);
    return row === null ? null : fromColumns(row);
  };
  const generations = (where: string, ...values: (string | number)[]) =>
    db.all<GenerationColumns>(`SELECT ${GENERATION} FROM session_generations WHERE ${where}`, ...values);

  return {
    get: async (id) => one("id = ?", id),
    byKey: async (ownerUid, key) => one("owner_uid = ? AND session_key = ?", ownerUid, key),
    ofProcess: async (pid) => one("pid = ?", pid),
    ofSender: async (ownerUid, sender) =>
      db
        .all<Columns>(
          `SELECT ${COLUMNS} FROM sessions WHERE owner_uid = ?1 AND pid IS NOT NULL AND
           (sender = ?2 OR (sender IS NULL AND session_key LIKE '%:dm:' || ?2))`,
          ownerUid,
          sender,
        )
        .map(fromColumns),

    async list({ ownerUid, after, limit }) {
      const rows = db.all<Columns & { active_at: number }>(
        `SELECT * FROM (
           SELECT ${COLUMNS.split(", ").map((column) => `s.${column}`)}, coalesce(p.last_active_at, s.updated_at) AS active_at
           FROM sessions s LEFT JOIN processes p ON p.process_id = s.pid WHERE ?1 IS NULL OR s.owner_uid = ?1)
         WHERE ?2 IS NULL OR (active_at, id) < (?2, ?3) ORDER BY active_at DESC, id DESC LIMIT ?4`,
        ownerUid ?? null,
        after?.createdAt ?? null,
        after?.id ?? "",
        limit,
      );
      return rows.map((row) => ({ ...fromColumns(row), activeAt: row.active_at }));
    },

    async create(session) {
      kernel.write("full", () => insert(db, session));
      const { ownerUid, key = null } = session;
      const row = key === null ? one("id = ?", session.id) : one("owner_uid = ? AND session_key = ?", ownerUid, key);
      if (row === null) throw new Error(`no session ${session.id}`);
      return row;
    },

    async change(id, change, now) {
      const set = { ...changed(change), updated_at: now };
      const names = Object.keys(set).map((name) => `${name} = ?`);
      kernel.write("full", () => db.run(`UPDATE sessions SET ${names} WHERE id = ?`, ...Object.values(set), id));
    },

    async attach(id, { pid, generationId, now }) {
      kernel.write("full", () => {
        if (generations("process_id = ? AND ended_at IS NULL", pid).length > 0) return;
        db.run("UPDATE sessions SET pid = ?, updated_at = ? WHERE id = ?", pid, now, id);
        db.run("UPDATE processes SET end_notice = 'ignore' WHERE process_id = ?", pid);
        begin(db, { id: generationId, sessionId: id, pid, now });
      });
    },

    async remove(id) {
      kernel.write("full", () => {
        db.run("DELETE FROM session_generations WHERE session_id = ?", id);
        db.run("DELETE FROM sessions WHERE id = ?", id);
      });
    },

    current: async (pid) => generations("process_id = ? AND ended_at IS NULL", pid)[0] ?? null,
    generation: async (id) => generations("id = ?", id)[0] ?? null,
    beginning: async (ownerUid, prefix) =>
      generations(
        "substr(id, 1, length(?1)) = ?1 AND session_id IN (SELECT id FROM sessions WHERE owner_uid = ?2) LIMIT 2",
        prefix,
        ownerUid,
      ),
    closedBy: async (closingId) => generations("closing_id = ?", closingId)[0] ?? null,
    generations: async (sessionId, limit) =>
      generations("session_id = ? ORDER BY number DESC LIMIT ?", sessionId, limit),

    async turn(pid, { closingId, nextId, restoredFrom = null, now }) {
      return kernel.write("full", () => {
        const known = generations("closing_id = ?", closingId)[0];
        const [open] = generations("process_id = ? AND ended_at IS NULL", pid);
        if (known !== undefined || open === undefined) return known ?? null;
        db.run("UPDATE session_generations SET ended_at = ?, closing_id = ? WHERE id = ?", now, closingId, open.id);
        if (nextId !== null) begin(db, { id: nextId, sessionId: open.sessionId, pid, now, restoredFrom });
        return generations("id = ?", open.id)[0] ?? null;
      });
    },

    async keep(generationId, key) {
      kernel.write("full", () =>
        db.run("UPDATE session_generations SET object_key = ? WHERE id = ?", key, generationId),
      );
    },
  };
}

/** Within the transaction that removes a process. */
export function detachSession(db: Db, pid: string, now: number): void {
  db.run("UPDATE session_generations SET ended_at = ? WHERE process_id = ? AND ended_at IS NULL", now, pid);
  db.run("UPDATE sessions SET pid = NULL, updated_at = ? WHERE pid = ?", now, pid);
}

/** Within the transaction that removes an account. */
export function forgetSessions(db: Db, ownerUid: number): void {
  db.run("DELETE FROM session_generations WHERE session_id IN (SELECT id FROM sessions WHERE owner_uid = ?)", ownerUid);
  db.run("DELETE FROM sessions WHERE owner_uid = ?", ownerUid);
}

function begin(
  db: Db,
  next: {
    readonly id: string;
    readonly sessionId: string;
    readonly pid: string;
    readonly now: number;
    readonly restoredFrom?: string | null;
  },
): void {
  db.run(
    `INSERT INTO session_generations (id, session_id, number, process_id, restored_from, started_at)
     VALUES (?1, ?2, (SELECT coalesce(max(number), 0) + 1 FROM session_generations WHERE session_id = ?2), ?3, ?4, ?5)`,
    next.id,
    next.sessionId,
    next.pid,
    next.restoredFrom ?? null,
    next.now,
  );
}

function insert(db: Db, session: NewSession): void {
  const { resetPolicy = null } = session;
  db.run(
    `INSERT OR IGNORE INTO sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[session.id, session.ownerUid, session.key ?? null, session.pid ?? null],
    ...[session.agentId ?? null, session.projectId ?? null, session.name ?? "", session.source ?? "cli"],
    session.sender ?? null,
    ...[session.initialPrompt ?? "", session.workDir ?? null, session.outcome ?? null, session.restartCount ?? 0],
    ...[session.councilLaunchId ?? null, session.councilRole ?? null],
    ...[resetPolicy?.mode ?? null, resetPolicy?.atHour ?? null, resetPolicy?.idleMinutes ?? null],
    ...[session.createdAt, session.createdAt],
  );
}

function changed(change: SessionChange): { readonly [column: string]: string | number | null } {
  const { resetPolicy, ...rest } = change;
  const columns = {
    name: rest.name,
    work_dir: rest.workDir,
    initial_prompt: rest.initialPrompt,
    outcome: rest.outcome,
    restart_count: rest.restartCount,
    project_id: rest.projectId,
    source: rest.source,
    sender: rest.sender,
    ...(resetPolicy === undefined
      ? {}
      : {
          reset_mode: resetPolicy?.mode ?? null,
          reset_at_hour: resetPolicy?.atHour ?? null,
          reset_idle_minutes: resetPolicy?.idleMinutes ?? null,
        }),
  };
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function fromColumns(row: Columns): SessionRow {
  const { reset_mode: mode, reset_at_hour: atHour, reset_idle_minutes: idleMinutes } = row;
  return {
    id: row.id,
    ownerUid: row.owner_uid,
    key: row.session_key,
    pid: row.pid,
    agentId: row.agent_id,
    projectId: row.project_id,
    name: row.name,
    source: row.source,
    sender: row.sender,
    initialPrompt: row.initial_prompt,
    workDir: row.work_dir,
    outcome: row.outcome,
    restartCount: row.restart_count,
    councilLaunchId: row.council_launch_id,
    councilRole: row.council_role,
    resetPolicy: mode === null ? null : { mode, atHour: atHour ?? 4, idleMinutes: idleMinutes ?? 60 },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
