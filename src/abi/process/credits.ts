// Credits: how much the users of a channel may use an owner's agents.

/** Prices and warning levels, under the names of the process manager. */
export const CREDIT_RATES = {
  credits_per_algo: 1000,
  low_credit_threshold: 50,
  reserve_per_group_message: 10,
  credits_per_turn: 1,
  credits_per_agent_message: 5,
  free_credits_on_first_message: 100,
} as const;

export type CreditRate = keyof typeof CREDIT_RATES;

export type CreditType = "purchase" | "deduction" | "agent_message" | "reserve" | "release" | "grant";

export interface CreditBalance {
  readonly wallet: string;
  readonly credits: number;
  readonly reserved: number;
  /** Not reserved. */
  readonly available: number;
  readonly purchased: number;
  readonly consumed: number;
}

export interface CreditRow {
  readonly id: number;
  readonly type: CreditType;
  /** Above zero; the type has the direction. */
  readonly amount: number;
  readonly balanceAfter: number;
  readonly reference: string | null;
  readonly sessionId: string | null;
  readonly createdAt: number;
}

/** The result of charging one turn. */
export interface Charged {
  readonly success: boolean;
  readonly isLow: boolean;
  readonly isExhausted: boolean;
  readonly available: number;
  /** Charged before, so not again. */
  readonly isKnown: boolean;
}
