// Credits, per owner and wallet. Each verb checks and changes in one transaction, so no credit is spent twice, and adds one ledger row.
// A reference is granted or charged at most once.

import {
  CREDIT_RATES,
  type CreditBalance,
  type CreditRate,
  type CreditRow,
  type CreditType,
} from "../../../abi/process/credits.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";

export interface Wallet {
  readonly ownerUid: number;
  readonly wallet: string;
}

export interface CreditMove {
  readonly amount: number;
  readonly type: CreditType;
  readonly reference?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly now: number;
}

export type MoveResult =
  | { readonly ok: true; readonly balance: CreditBalance }
  | { readonly ok: false; readonly why: "short" | "repeated"; readonly balance: CreditBalance };

export interface CreditRows {
  wallets(ownerUid: number): Promise<readonly CreditBalance[]>;
  /** Zeros for an unknown wallet; creates no row. */
  balance(wallet: Wallet): Promise<CreditBalance>;
  add(wallet: Wallet, move: CreditMove): Promise<MoveResult>;
  /** From unreserved credits. */
  take(wallet: Wallet, move: CreditMove): Promise<MoveResult>;
  reserve(wallet: Wallet, move: CreditMove): Promise<MoveResult>;
  /** Releases a reservation: `taken` is spent, the rest is free again. */
  settle(wallet: Wallet, move: CreditMove & { readonly taken: number }): Promise<MoveResult>;
  /** Newest first. */
  ledger(
    wallet: Wallet,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly CreditRow[]>;
  rates(ownerUid: number): Promise<{ readonly [rate in CreditRate]: number }>;
  setRate(ownerUid: number, rate: CreditRate, value: number, now: number): Promise<void>;
}

type Columns = {
  readonly wallet_address: string;
  readonly credits: number;
  readonly reserved: number;
  readonly total_purchased: number;
  readonly total_consumed: number;
};

const ALL = "SELECT wallet_address, credits, reserved, total_purchased, total_consumed FROM credit_ledger";

export function creditRows(kernel: KernelDb): CreditRows {
  const { db } = kernel;
  const balanceOf = (wallet: Wallet) => toBalance(wallet.wallet, rowOf(db, wallet));

  /** `change` returns the change of the row, or null if there are too few credits. */
  function move(wallet: Wallet, entry: CreditMove, change: (row: Columns) => Change | null): MoveResult {
    return kernel.write("full", (tx) => {
      if (isRepeated(tx, wallet, entry)) return { ok: false, why: "repeated", balance: balanceOf(wallet) };
      const next = change(rowOf(tx, wallet));
      if (next === null) return { ok: false, why: "short", balance: balanceOf(wallet) };
      put(tx, wallet, next, entry.now);
      addTransaction(tx, wallet, entry, balanceOf(wallet).credits);
      return { ok: true, balance: balanceOf(wallet) };
    });
  }

  return {
    wallets: async (ownerUid) =>
      db
        .all<Columns>(`${ALL} WHERE owner_uid = ? ORDER BY wallet_address`, ownerUid)
        .map((row) => toBalance(row.wallet_address, row)),
    balance: async (wallet) => balanceOf(wallet),
    add: async (wallet, entry) => move(wallet, entry, () => ({ credits: entry.amount, purchased: entry.amount })),
    take: async (wallet, entry) =>
      move(wallet, entry, ({ credits, reserved }) =>
        credits - reserved < entry.amount ? null : { credits: -entry.amount, consumed: entry.amount },
      ),
    reserve: async (wallet, entry) =>
      move(wallet, entry, ({ credits, reserved }) =>
        credits - reserved < entry.amount ? null : { reserved: entry.amount },
      ),
    settle: async (wallet, { taken, ...entry }) =>
      move(wallet, entry, ({ reserved }) => {
        if (reserved < entry.amount || taken > entry.amount) return null;
        return { reserved: -entry.amount, credits: -taken, consumed: taken };
      }),

    async ledger({ ownerUid, wallet }, { limit, before }) {
      return db.all<{ [K in keyof CreditRow]: CreditRow[K] }>(
        `SELECT id, type, amount, balance_after AS balanceAfter, reference, session_id AS sessionId, created_at AS createdAt
         FROM credit_transactions WHERE owner_uid = ?1 AND wallet_address = ?2 AND (?3 IS NULL OR id < ?3)
         ORDER BY id DESC LIMIT ?4`,
        ownerUid,
        wallet,
        before ?? null,
        limit,
      );
    },

    async rates(ownerUid) {
      const set = db.all<{ key: string; value: number }>(
        "SELECT key, value FROM credit_config WHERE owner_uid = ?",
        ownerUid,
      );
      return { ...CREDIT_RATES, ...Object.fromEntries(set.map(({ key, value }) => [key, value])) };
    },
    async setRate(ownerUid, rate, value, now) {
      kernel.write("full", () =>
        db.insert("credit_config", { owner_uid: ownerUid, key: rate, value, updated_at: now }, "REPLACE"),
      );
    },
  };
}

interface Change {
  readonly credits?: number;
  readonly reserved?: number;
  readonly purchased?: number;
  readonly consumed?: number;
}

function rowOf(db: Db, { ownerUid, wallet }: Wallet): Columns {
  const row = db.get<Columns>(`${ALL} WHERE owner_uid = ? AND wallet_address = ?`, ownerUid, wallet);
  return row ?? { wallet_address: wallet, credits: 0, reserved: 0, total_purchased: 0, total_consumed: 0 };
}

function isRepeated(tx: Db, { ownerUid, wallet }: Wallet, { type, reference }: CreditMove): boolean {
  if (reference === undefined) return false;
  return (
    tx.get(
      "SELECT 1 AS one FROM credit_transactions WHERE owner_uid = ? AND wallet_address = ? AND type = ? AND reference = ?",
      ownerUid,
      wallet,
      type,
      reference,
    ) !== null
  );
}

function put(tx: Db, { ownerUid, wallet }: Wallet, change: Change, now: number): void {
  const { credits = 0, reserved = 0, purchased = 0, consumed = 0 } = change;
  tx.run(
    `INSERT INTO credit_ledger (owner_uid, wallet_address, credits, reserved, total_purchased, total_consumed, created_at, updated_at)
     VALUES (?1, ?2, max(?3, 0), max(?4, 0), ?5, ?6, ?7, ?7) ON CONFLICT (owner_uid, wallet_address) DO UPDATE SET
     credits = credits + ?3, reserved = reserved + ?4, total_purchased = total_purchased + ?5,
     total_consumed = total_consumed + ?6, updated_at = ?7`,
    ownerUid,
    wallet,
    credits,
    reserved,
    purchased,
    consumed,
    now,
  );
}

function addTransaction(
  tx: Db,
  { ownerUid, wallet }: Wallet,
  { type, amount, reference, sessionId, now }: CreditMove,
  after: number,
) {
  tx.run(
    `INSERT INTO credit_transactions (owner_uid, wallet_address, type, amount, balance_after, reference, session_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ownerUid,
    wallet,
    type,
    amount,
    after,
    reference ?? null,
    sessionId ?? null,
    now,
  );
}

function toBalance(wallet: string, row: Columns): CreditBalance {
  const { credits, reserved, total_purchased: purchased, total_consumed: consumed } = row;
  return { wallet, credits, reserved, available: credits - reserved, purchased, consumed };
}
