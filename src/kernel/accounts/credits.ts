// Credits: the service behind credits.*, and the checks before and after a turn for people who write through a channel. The owner's own
// work is free. Missing credits are reported before a turn, not after it.

import { SysError } from "../../abi/errno.ts";
import { type Charged, CREDIT_RATES, type CreditRate } from "../../abi/process/credits.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { CreditRows, Wallet } from "../../store/kernel/people/credits.ts";
import type { Credits } from "../../syscalls/account/agent-service.ts";

const AMOUNT_MAX = 1_000_000;
const MICROS_PER_ALGO = 1_000_000;

export interface CreditPorts {
  readonly credits: CreditRows;
  readonly clock: Clock;
}

export interface CreditsPorts extends CreditPorts {
  /** Called after a grant: processes that wait for credits continue. */
  readonly toppedUp: (ownerUid: number, wallet: string) => Promise<void>;
}

export function creditsShown(credits: CreditRows): Pick<Credits, "balance" | "ledger"> {
  return {
    async balance({ ownerUid }, wallet) {
      if (wallet === undefined) return { balances: await credits.wallets(ownerUid) };
      return { balances: [await credits.balance({ ownerUid, wallet })] };
    },
    async ledger({ ownerUid }, { wallet, limit, before }) {
      const rows = await credits.ledger({ ownerUid, wallet }, { limit, before });
      return { rows, next: rows.length < limit ? null : String(rows.at(-1)?.id ?? "") };
    },
  };
}

export function creditsService({ credits, clock, toppedUp }: CreditsPorts): Credits {
  const rates = async (ownerUid: number) =>
    Object.entries(await credits.rates(ownerUid)).map(([name, value]) => ({ name: name as CreditRate, value }));
  return {
    ...creditsShown(credits),

    async grant({ caller: { ownerUid }, requestId }, { wallet, amount, reference }) {
      if (amount < 1 || amount > AMOUNT_MAX)
        throw new SysError("EINVAL", `grant 1 to ${AMOUNT_MAX} credits, not ${amount}`);
      const asked = `request:${requestId}`;
      const made = await credits.add(
        { ownerUid, wallet },
        { type: "grant", amount, reference: reference ?? asked, now: clock.now() },
      );
      if (!made.ok && reference !== undefined)
        throw new SysError("EEXIST", `${clip(wallet)} already has credits for ${clip(reference)}; nothing changed`);
      await toppedUp(ownerUid, wallet);
      return made.balance;
    },

    async rate({ caller: { ownerUid } }, { rate, value }) {
      if (value !== undefined) {
        if (rate === undefined)
          throw new SysError("EINVAL", "name the rate to set", [`one of ${Object.keys(CREDIT_RATES).join(", ")}`]);
        await credits.setRate(ownerUid, rate, value, clock.now());
      }
      const all = await rates(ownerUid);
      return { rates: rate === undefined ? all : all.filter(({ name }) => name === rate) };
    },
  };
}

/** A turn of someone who writes through a channel. */
export interface Turn extends Wallet {
  /** Identifies the turn, so that it is charged once. */
  readonly reference: string;
  readonly sessionId: string;
}

/** For the process manager and channels. */
export class CreditGate {
  constructor(private readonly ports: CreditPorts) {}

  /** True if the turn can be paid. A new wallet first gets its free credits. */
  async mayStart(wallet: Wallet): Promise<boolean> {
    const { credits, clock } = this.ports;
    const rates = await credits.rates(wallet.ownerUid);
    const { purchased } = await credits.balance(wallet);
    if (purchased === 0 && rates.free_credits_on_first_message > 0) {
      const amount = rates.free_credits_on_first_message;
      await credits.add(wallet, { type: "grant", amount, reference: "first message", now: clock.now() });
    }
    return (await credits.balance(wallet)).available >= Math.max(1, rates.credits_per_turn);
  }

  async chargeTurn({ reference, sessionId, ...wallet }: Turn): Promise<Charged> {
    const { credits, clock } = this.ports;
    const rates = await credits.rates(wallet.ownerUid);
    const amount = rates.credits_per_turn;
    // Free turns are not recorded.
    const { low_credit_threshold: low } = rates;
    if (amount === 0) return charged(true, (await credits.balance(wallet)).available, low);
    const made = await credits.take(wallet, { type: "deduction", amount, reference, sessionId, now: clock.now() });
    const isKnown = !made.ok && made.why === "repeated";
    return { ...charged(made.ok || isKnown, made.balance.available, low), isKnown };
  }

  async chargeMessage(
    wallet: Wallet,
    { to, reference }: { readonly to: string; readonly reference: string },
  ): Promise<boolean> {
    const { credits, clock } = this.ports;
    const { credits_per_agent_message: amount } = await credits.rates(wallet.ownerUid);
    if (amount === 0) return true;
    const move = { type: "agent_message", amount, reference: `to:${to}:${reference}`, now: clock.now() } as const;
    const made = await credits.take(wallet, move);
    return made.ok || made.why === "repeated";
  }

  /** Reserves `count` messages of a group; unused ones are returned. False if there are too few credits. */
  async reserve(
    wallet: Wallet,
    { count, reference }: { readonly count: number; readonly reference: string },
  ): Promise<number | null> {
    const { credits, clock } = this.ports;
    const amount = count * (await credits.rates(wallet.ownerUid)).reserve_per_group_message;
    if (amount === 0) return 0;
    const made = await credits.reserve(wallet, { type: "reserve", amount, reference, now: clock.now() });
    return made.ok || made.why === "repeated" ? amount : null;
  }

  async settle(
    wallet: Wallet,
    { amount, taken, reference }: { readonly amount: number; readonly taken: number; readonly reference: string },
  ): Promise<boolean> {
    if (amount === 0) return true;
    const type = taken === 0 ? "release" : "deduction";
    const made = await this.ports.credits.settle(wallet, {
      type,
      amount,
      taken,
      reference,
      now: this.ports.clock.now(),
    });
    return made.ok || made.why === "repeated";
  }

  /** Converts money to credits, rounding down. The same payment counts once. */
  async purchase(
    wallet: Wallet,
    { microAlgos, txid }: { readonly microAlgos: number; readonly txid: string },
  ): Promise<number> {
    const { credits, clock } = this.ports;
    const { credits_per_algo: rate } = await credits.rates(wallet.ownerUid);
    const amount = Math.floor((microAlgos * rate) / MICROS_PER_ALGO);
    if (amount <= 0) return 0;
    const made = await credits.add(wallet, { type: "purchase", amount, reference: txid, now: clock.now() });
    return made.ok ? amount : 0;
  }
}

function charged(success: boolean, available: number, threshold: number): Charged {
  return { success, isLow: available <= threshold, isExhausted: available <= 0, available, isKnown: false };
}
