// The process registry. kernel.db owns existence, parent, owner, label and place; state and usage are copied from the process's database
// by sequence number, so applying a row twice changes nothing.

import { MODE_ALIASES, type Mode } from "../../../abi/policy.ts";
import type { Profile, RestartRule, State, WaitsFor } from "../../../abi/process/process.ts";
import type { Receipt } from "../../../objects/objects.ts";
import type { Durability } from "../../open.ts";
import type { OutboxRow, Projection } from "../../process/verbs.ts";
import type { KernelDb, ListCursor } from "../db.ts";
import { GroupCommit } from "../group-commit.ts";
import { putRequest } from "../requests.ts";
import { storeApproval } from "./approvals.ts";
import { forgetBudgets, type NewBudget, putBudget } from "./budgets.ts";
import { detachSession } from "./sessions.ts";
import { chargeUsage } from "./usage.ts";
import { putWorkspace, type WorkspaceRow } from "./workspaces.ts";

/** The next kernel completes processes that are `creating` or `killing`. */
export type Phase = "creating" | "live" | "killing";

export interface ProcessRow extends Projection {
  readonly pid: string;
  readonly parentPid: string | null;
  /** The account it runs as. */
  readonly uid: number;
  readonly ownerUid: number;
  readonly profile: Profile;
  readonly label: string | null;
  readonly cwd: string;
  readonly workspaceId: string | null;
  readonly createdAt: number;
  readonly phase: Phase;
  /** Data for completing `creating` or `killing` after a crash. */
  readonly step: { readonly [key: string]: unknown } | null;
  readonly dirty: boolean;
  /** Capabilities removed from this process. */
  readonly dropped: readonly string[];
  readonly mode: Mode;
  /** Restart rule after a fault; null: the default of its session. */
  readonly restart: RestartRule | null;
  /** The budget it spends from. */
  readonly budgetId: number | null;
  /** Cost of its own turns. */
  readonly costMicros: number;
  readonly tokens: number;
  readonly projectId: string | null;
  /** ignore: its parent gets no notice when it ends, because it serves another conversation. */
  readonly endNotice: "ignore" | null;
}

export type NewProcess = Pick<
  ProcessRow,
  "pid" | "parentPid" | "uid" | "ownerUid" | "profile" | "label" | "cwd" | "workspaceId" | "createdAt"
> & {
  readonly mode?: Mode;
  readonly restart?: RestartRule;
  readonly step: { readonly [key: string]: unknown };
  readonly dropped?: readonly string[];
  readonly projectId?: string | null;
  readonly endNotice?: ProcessRow["endNotice"];
  readonly budget?: NewBudget;
};

export interface ProcessRows {
  get(pid: string): Promise<ProcessRow | null>;
  /** Live processes, oldest first, after a cursor. */
  list(query: {
    readonly ownerUid?: number;
    readonly after?: ListCursor;
    readonly limit: number;
  }): Promise<readonly ProcessRow[]>;
  /** Live processes that the kernel holds, oldest first. */
  paused(): Promise<readonly ProcessRow[]>;
  /** Number of live processes by state. */
  tally(): Promise<ReadonlyMap<State, number>>;
  count(ownerUid: number): Promise<number>;
  /** Processes that the account owns or runs as, in any phase. */
  ofAccount(uid: number): Promise<readonly ProcessRow[]>;
  /** Rows that a starting kernel must look at: unfinished phases, and outbox rows not yet copied. */
  unfinished(): Promise<readonly ProcessRow[]>;
  /** Stores the request and its answer, too, so that a repeated request finds the process; and a new workspace, if any. */
  create(process: NewProcess, request?: Receipt, workspace?: WorkspaceRow): Promise<void>;
  /** From `creating` to `live`. */
  live(pid: string, after: { readonly dirty: boolean }): Promise<void>;
  /** A new place takes effect with the next run. */
  set(
    pid: string,
    fields: Partial<Pick<ProcessRow, "label" | "mode" | "restart" | "workspaceId" | "cwd">>,
  ): Promise<void>;
  inWorkspace(workspaceId: string): Promise<readonly ProcessRow[]>;
  /** Before the first write to a process database: a starting kernel must look at it. */
  markDirty(pid: string): Promise<void>;
  /** `normal` while the outbox keeps the rows, or if they charge nothing. */
  project(pid: string, rows: readonly OutboxRow[], durability?: Durability): Promise<void>;
  clearDirty(pid: string): Promise<void>;
  tombstone(pid: string, step: { readonly [key: string]: unknown }): Promise<void>;
  /** Children move to the parent, and send it no notices if this process sent none; the request is answered in the same transaction. */
  remove(pid: string, request: Omit<Receipt, "bodyHash">): Promise<void>;
}

/** Type, SQL and reading of a stored process follow from this list. */
const COLUMN_OF = {
  pid: "process_id",
  parentPid: "parent_pid",
  uid: "uid",
  ownerUid: "owner_uid",
  profile: "profile",
  label: "label",
  cwd: "cwd",
  workspaceId: "workspace_id",
  createdAt: "created_at",
  phase: "phase",
  step: "phase_json",
  dirty: "dirty",
  state: "state",
  activeRunId: "active_run_id",
  queued: "queued_count",
  lastActiveAt: "last_active_at",
  waitsFor: "waits_json",
  lastStatus: "last_status",
  dropped: "dropped_json",
  mode: "mode",
  restart: "restart",
  budgetId: "budget_id",
  costMicros: "cost_micros",
  tokens: "tokens",
  projectId: "project_id",
  endNotice: "end_notice",
} as const satisfies { readonly [field in keyof ProcessRow]: string };

const FIELDS = Object.entries(COLUMN_OF) as readonly (readonly [keyof ProcessRow, string])[];
const SELECTED = FIELDS.map(([field, column]) => `${column} AS ${field}`).join(", ");

/** Booleans are numbers, objects are JSON. */
type StoredAs<T> = T extends boolean ? number : T extends object ? string : T;
type Stored = { readonly [field in keyof ProcessRow]: StoredAs<ProcessRow[field]> };

/** Columns of the given fields. An empty list is stored as NULL. */
function columnsOf(row: Partial<ProcessRow>): { [column: string]: string | number | null } {
  const columns: { [column: string]: string | number | null } = {};
  for (const [field, column] of FIELDS) {
    const value = row[field];
    if (value === undefined) continue;
    if (typeof value === "boolean") columns[column] = Number(value);
    else if (Array.isArray(value) && value.length === 0) columns[column] = null;
    else columns[column] = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  }
  return columns;
}

/** Columns copied from the process's database, also written by a restore. */
export const PROJECTED =
  "state = ?, active_run_id = ?, queued_count = ?, last_active_at = ?, waits_json = ?, last_status = ?";

/** Values for PROJECTED, in order. */
export function projected({ state, activeRunId, queued, lastActiveAt, waitsFor, lastStatus }: Projection) {
  const waits = waitsFor === null ? null : JSON.stringify(waitsFor);
  return [state, activeRunId, queued, lastActiveAt, waits, lastStatus] as const;
}

export function processRows(kernel: KernelDb): ProcessRows {
  const { db } = kernel;
  const created = new GroupCommit(kernel);
  const rows = (where: string, ...values: (string | number | null)[]) =>
    fromStored(db.all<Stored>(`SELECT ${SELECTED} FROM processes ${where}`, ...values));

  return {
    get: async (pid) => rows("WHERE process_id = ?", pid)[0] ?? null,
    list: async ({ ownerUid, after, limit }) =>
      rows(
        `WHERE phase = 'live' AND (?1 IS NULL OR owner_uid = ?1) AND (created_at, process_id) > (?2, ?3)
         ORDER BY created_at, process_id LIMIT ?4`,
        ownerUid ?? null,
        after?.createdAt ?? -1,
        after?.id ?? "",
        limit,
      ),
    paused: async () => rows("WHERE phase = 'live' AND state = 'paused' ORDER BY created_at, process_id"),
    async tally() {
      const counts = db.all<{ state: State; n: number }>(
        "SELECT state, count(*) AS n FROM processes WHERE phase = 'live' GROUP BY state",
      );
      return new Map(counts.map(({ state, n }) => [state, n]));
    },
    count: async (ownerUid) =>
      db.get<{ n: number }>("SELECT count(*) AS n FROM processes WHERE owner_uid = ?", ownerUid)?.n ?? 0,
    ofAccount: async (uid) => rows("WHERE owner_uid = ?1 OR uid = ?1 ORDER BY created_at", uid),
    unfinished: async () => rows("WHERE dirty = 1 OR phase <> 'live' ORDER BY created_at"),

    create: (process, request, workspace) =>
      created.write(() => {
        if (workspace !== undefined) putWorkspace(db, workspace);
        const { limits = null, parentId = null } = process.budget ?? {};
        const { pid, ownerUid, createdAt: now } = process;
        const budgetId = limits === null ? parentId : putBudget(db, { pid, ownerUid, limits, parentId, now });
        db.insert("processes", {
          interactive: 1,
          ...columnsOf({ mode: "ask", ...process, phase: "creating", dirty: true, budgetId }),
        });
        if (request !== undefined) putRequest(db, request);
      }),

    async live(pid, { dirty }) {
      // A power cut may bring an unused process back to `creating`; the next kernel then completes it again, without any effect.
      kernel.write(dirty ? "full" : "normal", () =>
        db.run(
          "UPDATE processes SET phase = 'live', phase_json = NULL, dirty = ? WHERE process_id = ? AND phase = 'creating'",
          dirty ? 1 : 0,
          pid,
        ),
      );
    },

    async set(pid, fields) {
      const columns = columnsOf(fields);
      const places = Object.keys(columns).map((column) => `${column} = ?`);
      kernel.write("full", () =>
        db.run(`UPDATE processes SET ${places.join(", ")} WHERE process_id = ?`, ...Object.values(columns), pid),
      );
    },

    inWorkspace: async (workspaceId) =>
      rows("WHERE workspace_id = ? AND phase = 'live' ORDER BY created_at", workspaceId),

    async markDirty(pid) {
      kernel.write("full", () => db.run("UPDATE processes SET dirty = 1 WHERE process_id = ?", pid));
    },

    async project(pid, outbox, durability = "full") {
      const latest = outbox.at(-1);
      if (latest === undefined) return;
      kernel.write(durability, () => {
        const seen = db.get<{ seq: number }>(
          "SELECT projected_seq AS seq FROM processes WHERE process_id = ?",
          pid,
        )?.seq;
        const changed = db.run(
          `UPDATE processes SET ${PROJECTED}, projected_seq = ? WHERE process_id = ? AND projected_seq < ?`,
          ...projected(latest.projection),
          latest.seq,
          pid,
          latest.seq,
        );
        if (changed === 0) return;
        for (const row of outbox) for (const approval of row.approvals) storeApproval(db, pid, approval);
        chargeUsage(
          db,
          pid,
          outbox.flatMap(({ seq, usage = [] }) => (seq > (seen ?? 0) ? usage : [])),
        );
      });
    },

    async clearDirty(pid) {
      kernel.write("normal", () =>
        db.run("UPDATE processes SET dirty = 0 WHERE process_id = ? AND phase = 'live'", pid),
      );
    },

    async tombstone(pid, step) {
      kernel.write("full", () =>
        db.run(
          "UPDATE processes SET phase = 'killing', phase_json = ?, dirty = 1 WHERE process_id = ? AND phase <> 'killing'",
          JSON.stringify(step),
          pid,
        ),
      );
    },

    async remove(pid, { uid, requestId, answer, now }) {
      kernel.write("full", () => {
        db.run(
          `UPDATE processes SET parent_pid = gone.parent_pid, end_notice = coalesce(gone.end_notice, processes.end_notice)
           FROM processes AS gone WHERE gone.process_id = ?1 AND processes.parent_pid = ?1`,
          pid,
        );
        db.run(
          "UPDATE approvals SET decision = 'withdrawn', decided_by = 'kernel', decided_at = ? WHERE process_id = ? AND decision IS NULL",
          now,
          pid,
        );
        // Keep who decided; the contents are deleted with the process.
        db.run(
          "UPDATE approvals SET args_json = '{}', why = '', about_json = NULL, said = NULL WHERE process_id = ?",
          pid,
        );
        db.run("UPDATE notifications SET body = NULL WHERE source_json ->> 'pid' = ?", pid);
        db.run("DELETE FROM run_routes WHERE process_id = ?", pid);
        detachSession(db, pid, now);
        db.run("DELETE FROM processes WHERE process_id = ?", pid);
        forgetBudgets(db);
        putRequest(db, { uid, requestId, bodyHash: pid, answer, now });
      });
    },
  };
}

// A loop, not a function per row: for a list of a thousand rows the JIT compile would take longer than the list.
function fromStored(rows: readonly Stored[]): ProcessRow[] {
  const made: ProcessRow[] = [];
  for (const row of rows) {
    made.push({
      ...row,
      step: row.step === null ? null : (JSON.parse(row.step) as ProcessRow["step"]),
      dirty: row.dirty === 1,
      waitsFor: row.waitsFor === null ? null : (JSON.parse(row.waitsFor) as WaitsFor),
      dropped: row.dropped === null ? [] : (JSON.parse(row.dropped) as string[]),
      mode: MODE_ALIASES[row.mode] ?? row.mode,
    });
  }
  return made;
}
