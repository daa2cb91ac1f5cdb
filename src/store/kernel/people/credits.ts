// Credits of wallets, each an owner's: every verb looks and changes in one transaction, so that no two of them spend the same credit, and
// writes one row of the ledger. What was granted or charged under a reference is not granted or charged under it again.

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

export type Moved =
  | { readonly ok: true; readonly balance: CreditBalance }
  | { readonly ok: false; readonly why: "short" | "repeated"; readonly balance: CreditBalance };

export interface CreditRows {
  wallets(ownerUid: number): Promise<readonly CreditBalance[]>;
  /** Of one that never had any: zeros, and no row is made for it. */
  balance(wallet: Wallet): Promise<CreditBalance>;
  add(wallet: Wallet, move: CreditMove): Promise<Moved>;
  /** Of what is not reserved. */
  take(wallet: Wallet, move: CreditMove): Promise<Moved>;
  reserve(wallet: Wallet, move: CreditMove): Promise<Moved>;
  /** Of what was reserved: `taken` of it is spent, the rest is free again. */
  settle(wallet: Wallet, move: CreditMove & { readonly taken: number }): Promise<Moved>;
  /** The newest first. */
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

  /** `change` says what becomes of the row, or null where there is too little. */
  function move(wallet: Wallet, made: CreditMove, change: (row: Columns) => Change | null): Moved {
    return kernel.write("full", (tx) => {
      if (isKnown(tx, wallet, made)) return { ok: false, why: "repeated", balance: balanceOf(wallet) };
      const next = change(rowOf(tx, wallet));
      if (next === null) return { ok: false, why: "short", balance: balanceOf(wallet) };
      put(tx, wallet, next, made.now);
      note(tx, wallet, made, balanceOf(wallet).credits);
      return { ok: true, balance: balanceOf(wallet) };
    });
  }

  return {
    wallets: async (ownerUid) =>
      db
        .all<Columns>(`${ALL} WHERE owner_uid = ? ORDER BY wallet_address`, ownerUid)
        .map((row) => toBalance(row.wallet_address, row)),
    balance: async (wallet) => balanceOf(wallet),
    add: async (wallet, made) => move(wallet, made, () => ({ credits: made.amount, purchased: made.amount })),
    take: async (wallet, made) =>
      move(wallet, made, ({ credits, reserved }) =>
        credits - reserved < made.amount ? null : { credits: -made.amount, consumed: made.amount },
      ),
    reserve: async (wallet, made) =>
      move(wallet, made, ({ credits, reserved }) =>
        credits - reserved < made.amount ? null : { reserved: made.amount },
      ),
    settle: async (wallet, { taken, ...made }) =>
      move(wallet, made, ({ reserved }) => {
        if (reserved < made.amount || taken > made.amount) return null;
        return { reserved: -made.amount, credits: -taken, consumed: taken };
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
        db.run(
          "INSERT OR REPLACE INTO credit_config (owner_uid, key, value, updated_at) VALUES (?, ?, ?, ?)",
          ownerUid,
          rate,
          value,
          now,
        ),
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

function isKnown(tx: Db, { ownerUid, wallet }: Wallet, { type, reference }: CreditMove): boolean {
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

function note(
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
