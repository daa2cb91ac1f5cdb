// Slows down guessing of passwords and tokens, per source, and per account from one source: after ten failures in a row that source is locked
// out for 30 s; each further failure doubles that, up to 15 minutes. The owner of an account still gets in from elsewhere. Attempts are
// counted before they are checked, so that parallel attempts gain nothing.

import { TooSoon } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import type { LockoutRow, LockoutRows, LockoutSubject } from "../../store/kernel/people/logins.ts";

const FAILURES_FREE = 10;
const LOCK_MS_FIRST = 30_000;
const LOCK_MS_MAX = 15 * 60_000;
/** Failures older than this are forgotten. */
const FORGET_MS = 60 * 60_000;
/** Sources that are remembered. */
const ROWS_MAX = 2000;
const FORGET_EACH = 500;

/** An account as guessed at from one origin. */
export function accountFrom(username: string, origin: string): LockoutSubject {
  return { kind: "account", subject: `${username} ${origin}` };
}

export class Lockout {
  private begun = 0;

  constructor(
    private readonly rows: LockoutRows,
    private readonly clock: Clock,
  ) {}

  /** Throws while one of the subjects is locked. */
  async begin(subjects: readonly LockoutSubject[]): Promise<void> {
    const now = this.clock.now();
    if (++this.begun % FORGET_EACH === 0) await this.rows.forget(now - FORGET_MS, ROWS_MAX);
    await this.rows.change(subjects, (_subject, row) => {
      if (row?.lockedUntil != null && row.lockedUntil > now) throw lockedOut(row.lockedUntil - now);
      const failures = (row === null || now - row.lastFailedAt > FORGET_MS ? 0 : row.failures) + 1;
      return { failures, lastFailedAt: now, lockedUntil: failures < FAILURES_FREE ? null : now + lockMs(failures) };
    });
  }

  /** A success clears an account's failures, but only this attempt of a source: otherwise it could guess between two successes. */
  async succeeded(subjects: readonly LockoutSubject[]): Promise<void> {
    await this.rows.change(subjects, ({ kind }, row) => (kind === "account" || row === null ? null : oneLess(row)));
  }
}

function oneLess(row: LockoutRow): LockoutRow | null {
  return row.failures <= 1 ? null : { ...row, failures: row.failures - 1, lockedUntil: null };
}

function lockMs(failures: number): number {
  return Math.min(LOCK_MS_FIRST * 2 ** (failures - FAILURES_FREE), LOCK_MS_MAX);
}

function lockedOut(ms: number): TooSoon {
  return new TooSoon("too many wrong passwords or tokens", ms);
}
