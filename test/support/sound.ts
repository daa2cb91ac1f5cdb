// Checks whether a home is sound, from its files alone while no kernel runs: databases whole, the registry in agreement with every process,
// nothing half done, histories legal, archives readable, and acknowledged messages kept. Each fault is one line; a sound home has none.

import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Closed } from "../../src/syscalls/services.ts";
import type { TestHome } from "./home.ts";

/** A message with an answered send. */
export interface Acknowledged {
  readonly pid: string;
  readonly runId: string;
  readonly text: string;
  /** Messages of one sender keep their order. */
  readonly sender: string;
}

interface Record {
  readonly id: number | null;
  readonly role: string;
  readonly content: string;
  readonly run_id: string | null;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: { readonly [key: string]: string };
  }[];
  readonly callId: string | null;
  readonly outcome: string | null;
}

interface ProcessBook {
  readonly kv: { readonly [key: string]: unknown };
  readonly records: readonly Record[];
  readonly waiting: readonly { run_id: string | null; message: string; wakes: number; generation: number }[];
  readonly runs: ReadonlyMap<string, string | null>;
  /** Absorbed runs, by the run that answered them. */
  readonly merged: ReadonlyMap<string, string>;
  readonly openApprovals: readonly string[];
  readonly faults: readonly string[];
}

type Row = { [column: string]: string | number | null };

export class HomeBook {
  readonly faults: string[] = [];
  readonly processes = new Map<string, ProcessBook>();
  /** Archives, oldest first. */
  private readonly archived = new Map<string, Record[]>();
  private readonly archives: Row[];
  private readonly rows: Row[];
  private readonly listedApprovals: Row[];

  constructor(private readonly home: TestHome) {
    const { kernelDb, procDir } = home.paths;
    const kernel = open(kernelDb);
    try {
      this.check(kernel, "kernel.db");
      this.rows = all(kernel, "SELECT * FROM processes ORDER BY process_id");
      this.listedApprovals = all(kernel, "SELECT * FROM approvals WHERE decision IS NULL");
      const intents = all(kernel, "SELECT * FROM object_intents").length;
      if (intents > 0) this.faults.push(`${intents} object intents are open`);
      this.archives = all(kernel, "SELECT * FROM archives ORDER BY created_at, archive_id");
      for (const row of this.archives) this.readArchive(row);
      this.checkArchives();
    } finally {
      kernel.close();
    }
    for (const row of this.rows) this.readProcess(String(row.process_id));
    const known = new Set(this.rows.map((row) => `${row.process_id}.db`));
    for (const name of readdirSync(procDir)) {
      if (!known.has(name.replace(/-(?:wal|shm)$/, ""))) this.faults.push(`proc/${name} belongs to no process`);
    }
    for (const row of this.rows) this.compare(row);
  }

  /** Every message of every process so far, archived or not. */
  records(pid: string): readonly Record[] {
    return [...(this.archived.get(pid) ?? []), ...(this.processes.get(pid)?.records ?? [])];
  }

  archivesOf(pid: string): number {
    return this.archives.filter((row) => row.process_id === pid).length;
  }

  /** Faults of acknowledged messages: lost, doubled, out of order, or of a run without an end. */
  missing(acknowledged: readonly Acknowledged[]): string[] {
    const faults: string[] = [];
    const places = new Map<string, number>();
    for (const { pid, runId, text, sender } of acknowledged) {
      const waiting =
        this.processes.get(pid)?.waiting.map((row) => ({ ...row, role: "user", content: row.message })) ?? [];
      const all = [...this.records(pid), ...waiting];
      const found = all.flatMap((record, at) => (record.role === "user" && record.run_id === runId ? [at] : []));
      if (found.length !== 1) faults.push(`${text} of run ${runId} is there ${found.length} times`);
      const at = found[0] ?? -1;
      if (all[at]?.content !== text) faults.push(`${text} reads ${all[at]?.content}`);
      if (at < (places.get(`${pid} ${sender}`) ?? -1))
        faults.push(`${text} came before an earlier message of ${sender}`);
      places.set(`${pid} ${sender}`, at);
      const runs = this.processes.get(pid)?.runs;
      if (runs !== undefined && !runs.has(runId) && waiting.length === 0)
        faults.push(`run ${runId} of ${text} has no row`);
      if (runs?.get(runId) === null && waiting.length === 0) faults.push(`run ${runId} of ${text} has no end`);
    }
    return faults;
  }

  /** Faults of effects: objects stored more often than calls asked for, or less often than calls report. */
  effects(stored: readonly string[], prefix: string): string[] {
    const asked = new Map<string, { calls: number; completed: number }>();
    for (const pid of new Set([...this.archived.keys(), ...this.processes.keys()])) {
      const records = this.records(pid);
      for (const call of records.flatMap((record) => record.calls)) {
        const key = call.args.path?.replace(/^~\//, "home/sam/");
        if (call.name !== "Write" || key === undefined) continue;
        const count = asked.get(key) ?? { calls: 0, completed: 0 };
        count.calls++;
        if (records.some((record) => record.callId === call.id && record.outcome === "completed")) count.completed++;
        asked.set(key, count);
      }
    }
    const times = new Map<string, number>();
    for (const key of stored) if (key.startsWith(prefix)) times.set(key, (times.get(key) ?? 0) + 1);
    const faults: string[] = [];
    for (const key of new Set([...times.keys(), ...asked.keys()])) {
      const { calls, completed } = asked.get(key) ?? { calls: 0, completed: 0 };
      const done = times.get(key) ?? 0;
      if (done > calls || done < completed)
        faults.push(`${key} was stored ${done} times for ${calls} calls, ${completed} of them completed`);
    }
    return faults;
  }

  /** Faults of archives, compared with the answers to their callers: one archive for each, with the reported content. */
  putAway(pid: string, answers: readonly Closed[]): string[] {
    const kept = this.archives.filter((row) => row.process_id === pid).map((row) => [row.archive_id, row.messages]);
    const told = answers.map((closed) => [closed.archiveId, closed.archivedMessages]);
    const same = answers.length === 0 || JSON.stringify(kept) === JSON.stringify(told);
    return same ? [] : [`archives of ${pid} are ${JSON.stringify(kept)}, its owner was told ${JSON.stringify(told)}`];
  }

  private readProcess(pid: string): void {
    const path = join(this.home.paths.procDir, `${pid}.db`);
    if (!existsSync(path)) return void this.faults.push(`${pid} has no database`);
    const db = open(path);
    try {
      this.check(db, pid);
      const kv = Object.fromEntries(
        all(db, "SELECT key, value FROM process_kv").map(({ key, value }) => [key, JSON.parse(String(value))]),
      ) as { [key: string]: unknown };
      const book: ProcessBook = {
        kv,
        records: all(db, "SELECT * FROM messages ORDER BY id").map(recordOf),
        waiting: all(db, "SELECT run_id, message, wakes, generation FROM message_queue ORDER BY id") as never,
        merged: new Map(
          all(db, "SELECT run_id, merged_into FROM runs WHERE merged_into IS NOT NULL").map((row) => [
            String(row.run_id),
            String(row.merged_into),
          ]),
        ),
        runs: new Map(
          all(db, "SELECT run_id, status FROM runs").map((row) => [String(row.run_id), row.status as string]),
        ),
        openApprovals: all(db, "SELECT request_id FROM pending_hil WHERE decision IS NULL").map((row) =>
          String(row.request_id),
        ),
        faults: [],
      };
      this.processes.set(pid, book);
      const unsent = all(db, "SELECT seq FROM outbox").length;
      if (unsent > 0) this.faults.push(`${pid} has ${unsent} rows that were never copied`);
      if (kv.closing) this.faults.push(`${pid} is in the middle of a ${(kv.closing as { reason: string }).reason}`);
    } finally {
      db.close();
    }
    this.faults.push(...illegal(pid, this.records(pid)));
  }

  private readArchive(row: Row): void {
    const pid = String(row.process_id);
    const path = join(this.home.paths.objectsDir, String(row.object_key));
    if (!existsSync(path)) return void this.faults.push(`the archive ${row.archive_id} is missing`);
    const bytes = readFileSync(path);
    if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== row.sha256)
      this.faults.push(`${path} has another checksum`);
    const lines = gunzipSync(bytes).toString().split("\n").slice(0, -1);
    if (lines.length !== row.lines) this.faults.push(`${path} has ${lines.length} lines, not ${row.lines}`);
    const records = lines.map((line) => recordOf(JSON.parse(line) as Row));
    this.archived.set(pid, [...(this.archived.get(pid) ?? []), ...records]);
  }

  /** Read with the program that a person would use. */
  private checkArchives(): void {
    const paths = this.archives.map((row) => join(this.home.paths.objectsDir, String(row.object_key)));
    const there = paths.filter((path) => existsSync(path));
    if (there.length === 0) return;
    const { exitCode, stderr } = Bun.spawnSync(["gzip", "-t", "--", ...there], { stdin: "ignore" });
    if (exitCode !== 0) this.faults.push(`gzip does not read all archives: ${stderr.toString().trim()}`);
  }

  // The projection in kernel.db compared with the process's own row.
  private compare(row: Row): void {
    const pid = String(row.process_id);
    if (row.phase !== "live") this.faults.push(`${pid} is still ${row.phase}`);
    const book = this.processes.get(pid);
    if (book === undefined) return;
    const { kv } = book;
    const queued = book.waiting.filter((each) => each.wakes === 1 && each.generation === (kv.generation ?? 1)).length;
    const shown = [row.state, row.active_run_id, row.queued_count, row.last_active_at];
    const own = [kv.state ?? "idle", kv.current_run ?? null, queued, kv.last_active_at ?? null];
    if (JSON.stringify(shown) !== JSON.stringify(own))
      this.faults.push(`kernel.db shows ${pid} as ${JSON.stringify(shown)}, it is ${JSON.stringify(own)}`);
    const listed = this.listedApprovals.filter((each) => each.process_id === pid).map((each) => each.request_id);
    if (JSON.stringify(listed) !== JSON.stringify(book.openApprovals))
      this.faults.push(`kernel.db lists approvals ${listed} of ${pid}, open are ${book.openApprovals}`);
    // A run that has come to rest waits for the first of them.
    const rests = kv.state !== "waiting_hil" && kv.state !== "stopped";
    if (book.openApprovals.length > 0 ? rests : kv.state === "waiting_hil")
      this.faults.push(`${pid} is ${kv.state} with ${book.openApprovals.length} open approvals`);
  }

  private check(db: Database, name: string): void {
    const found = db.query<{ quick_check: string }, []>("PRAGMA quick_check").get()?.quick_check;
    if (found !== "ok") this.faults.push(`${name}: ${found}`);
  }
}

/** Numbers without gaps, and after each turn exactly one result for each of its calls, in their order. */
function illegal(pid: string, records: readonly Record[]): string[] {
  const faults: string[] = [];
  const numbered = records.filter((record) => record.id !== null);
  for (const [at, record] of numbered.entries()) {
    const before = numbered[at - 1]?.id ?? 0;
    if (record.id !== before + 1) faults.push(`${pid}: number ${record.id} comes after ${before}`);
    const results: (string | null)[] = [];
    for (let next = at + 1; numbered[next]?.role === "toolResult"; next++) results.push(numbered[next]?.callId ?? null);
    if (record.role === "toolResult") continue;
    const calls = record.calls.map((call) => call.id);
    // Only the newest turn may still wait for results.
    const open = at + results.length === numbered.length - 1 && results.length < calls.length;
    const expected = open ? calls.slice(0, results.length) : calls;
    if (JSON.stringify(results) !== JSON.stringify(expected))
      faults.push(`${pid}: after number ${record.id} with calls ${calls} come results ${results}`);
  }
  return faults;
}

function recordOf(row: Row): Record {
  const extra = (typeof row.tool_calls === "string" ? JSON.parse(row.tool_calls) : { toolCalls: row.tool_calls }) as {
    toolCalls?: Record["calls"] | null;
    outcome?: string;
  };
  return {
    id: row.id as number | null,
    role: String(row.role),
    content: String(row.content),
    run_id: row.run_id === undefined ? null : (row.run_id as string | null),
    calls: extra.toolCalls ?? [],
    callId: row.tool_call_id === undefined ? null : (row.tool_call_id as string | null),
    outcome: extra.outcome ?? (row.outcome as string | undefined) ?? null,
  };
}

function open(path: string): Database {
  return new Database(path, { readwrite: true, strict: true });
}

function all(db: Database, sql: string): Row[] {
  return db.query<Row, []>(sql).all();
}
