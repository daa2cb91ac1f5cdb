// The queue of what is due: everything that kernel.db stores with an instant. One verb claims it: a transaction finds what is due, of all
// kinds, and stores the claim before anything starts. A schedule's claim is its occurrence, that of a call its end, that of a notification or
// watch the removal of its instant. Requests and paused runs change in the database of their process; until then a row in due_claims keeps
// this kernel from claiming them twice. The next kernel begins without those rows, so it finds what this one left undone.

import type { DueItem } from "../../../abi/schedule.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { claimDeadlines, type IpcRow } from "./ipc.ts";
import { claimAnnouncements, type NotificationRow } from "./notifications.ts";
import { claimSchedules, type Due, type OccurrenceRow, type Plan } from "./occurrences.ts";
import { claimExpired } from "./watches.ts";

interface Claims {
  readonly schedule: { readonly occurrences: readonly OccurrenceRow[] };
  readonly notification: { readonly row: NotificationRow };
  /** With the end that the claim stored. */
  readonly call: { readonly row: IpcRow };
  readonly watch: object;
  /** An approval or question of the process. */
  readonly request: { readonly pid: string };
  /** A paused run, by its process. */
  readonly run: object;
}

export type DueKind = keyof Claims;
export type ClaimOf<K extends DueKind> = { readonly kind: K; readonly id: string; readonly at: number } & Claims[K];
export type Claim = { readonly [K in DueKind]: ClaimOf<K> }[DueKind];

/** Claims that another database must carry out, so that they may have to be repeated. */
export type Carried = ClaimOf<"request"> | ClaimOf<"run">;

export interface DueRows {
  /** What is due next, the earliest first; of all accounts if none is given. Without expiries, which start nothing. */
  next(query: { readonly ownerUid?: number; readonly limit: number }): Promise<readonly DueItem[]>;
  /** The first instants that are not claimed: of anything, and of what a kernel must be there for. Without schedules if not wanted. */
  earliest(options?: {
    readonly schedules?: boolean;
  }): Promise<{ readonly at: number | null; readonly startsAt: number | null }>;
  /** What is due now, the earliest first; at most `limit` schedules. */
  claim(asked: { readonly now: number; readonly limit: number }, plan: (due: Due) => Plan): Promise<readonly Claim[]>;
  /** It was not carried out, and may be claimed again. */
  release(claim: Carried): Promise<void>;
}

interface Kind {
  readonly kind: Exclude<DueKind, "watch">;
  readonly what: string;
  readonly at: string;
  readonly owner: string;
  /** With an index on the instant. */
  readonly from: string;
  /** Of a kind with rows in due_claims. */
  readonly id?: string;
}

const REQUEST_ID = "process_id || ' ' || request_id";
const UNTIL = "waits_json ->> 'until'";

const KINDS: readonly Kind[] = [
  {
    ...{ kind: "schedule", what: "name", at: "next_run_at", owner: "owner_uid" },
    from: "schedules WHERE next_run_at IS NOT NULL",
  },
  {
    ...{ kind: "notification", what: "title", at: "announce_at", owner: "uid" },
    from: "notifications WHERE announce_at IS NOT NULL",
  },
  {
    ...{ kind: "request", what: "request_id || ' of ' || process_id", at: "expires_at", owner: "owner_uid" },
    ...{ from: "approvals WHERE decision IS NULL AND expires_at IS NOT NULL", id: REQUEST_ID },
  },
  {
    ...{ kind: "call", what: "coalesce(source_pid || ' → ', '') || target_pid", at: "deadline_at", owner: "uid" },
    from: "ipc_calls WHERE status = 'open'",
  },
  {
    ...{ kind: "run", what: "process_id", at: UNTIL, owner: "owner_uid", id: "process_id" },
    from: `processes WHERE state = 'paused' AND ${UNTIL} IS NOT NULL AND phase = 'live'`,
  },
];

/** After this long a claim that changed nothing may be made again. */
const CLAIM_KEPT_MS = 24 * 60 * 60 * 1000;

export function dueRows(kernel: KernelDb): DueRows {
  const { db } = kernel;
  const each = KINDS.map(
    ({ kind, what, at, owner, from }) =>
      `SELECT * FROM (SELECT '${kind}' AS kind, ${what} AS what, ${at} AS at FROM ${from}
        AND (?1 IS NULL OR ${owner} = ?1) ORDER BY 3 LIMIT ?2)`,
  );
  const next = `SELECT kind, what, at FROM (${each.join(" UNION ALL ")}) ORDER BY at, kind, what LIMIT ?2`;
  const earliestOf = (kinds: readonly Kind[]) => {
    const each = kinds.map((kind) => `SELECT min(${kind.at}) AS at FROM ${unclaimed(kind)}`).join(" UNION ALL ");
    return `SELECT (SELECT min(at) FROM (${each})) AS startsAt, (SELECT min(expires_at) FROM signal_watches) AS expiresAt`;
  };
  const earliest = { all: earliestOf(KINDS), others: earliestOf(KINDS.filter(({ kind }) => kind !== "schedule")) };
  return {
    next: async ({ ownerUid, limit }) => db.all<{ [K in keyof DueItem]: DueItem[K] }>(next, ownerUid ?? null, limit),
    async earliest({ schedules = true } = {}) {
      const row = db.get<{ startsAt: number | null; expiresAt: number | null }>(earliest[schedules ? "all" : "others"]);
      const { startsAt, expiresAt } = row ?? { startsAt: null, expiresAt: null };
      const instants = [startsAt, expiresAt].filter((at) => at !== null);
      return { at: instants.length === 0 ? null : Math.min(...instants), startsAt };
    },
    async claim(asked, plan) {
      return kernel.write("full", () => claim(db, asked, plan));
    },
    async release({ kind, id }) {
      const key = [kind, id];
      kernel.write("normal", () => db.run("DELETE FROM due_claims WHERE kind = ? AND id = ?", ...key));
    },
  };
}

function claim(
  db: Db,
  asked: { readonly now: number; readonly limit: number },
  plan: (due: Due) => Plan,
): readonly Claim[] {
  const { now } = asked;
  db.run("DELETE FROM due_claims WHERE claimed_at < ?", now - CLAIM_KEPT_MS);
  const claims: Claim[] = [
    ...claimSchedules(db, asked, plan).map((each) => ({ kind: "schedule" as const, ...each })),
    ...claimAnnouncements(db, now).map((each) => ({ kind: "notification" as const, ...each })),
    ...claimDeadlines(db, now).map((row) => ({ kind: "call" as const, id: row.id, at: row.deadlineAt, row })),
    ...claimExpired(db, now).map((each) => ({ kind: "watch" as const, ...each })),
    ...KINDS.flatMap((kind) => claimCarried(db, kind, now)),
  ];
  return claims.sort((left, right) => left.at - right.at);
}

function claimCarried(db: Db, kind: Kind, now: number): readonly Carried[] {
  if (kind.id === undefined) return [];
  const due = db.all<{ id: string; pid: string; at: number }>(
    `SELECT ${kind.id} AS id, process_id AS pid, ${kind.at} AS at FROM ${unclaimed(kind)} AND ${kind.at} <= ?`,
    now,
  );
  for (const { id, at } of due)
    db.run("INSERT OR REPLACE INTO due_claims (kind, id, at, claimed_at) VALUES (?, ?, ?, ?)", kind.kind, id, at, now);
  return due.map((row) => ({ kind: kind.kind === "request" ? "request" : "run", ...row }));
}

function unclaimed({ kind, from, id, at }: Kind): string {
  if (id === undefined) return from;
  return `${from} AND NOT EXISTS (SELECT 1 FROM due_claims c WHERE c.kind = '${kind}' AND c.id = ${id} AND c.at = ${at})`;
}
