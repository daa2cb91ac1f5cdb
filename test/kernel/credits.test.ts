// Credits of senders in a channel.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CreditBalance } from "../../src/abi/process/credits.ts";
import { CreditGate } from "../../src/kernel/accounts/credits.ts";
import type { CreditRows } from "../../src/store/kernel/people/credits.ts";
import { FakeClock } from "../support/clock.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelPlane } from "../support/kernel-plane.ts";

const ALICE = { ownerUid: 1000, wallet: "ALICE7" };

let plane: KernelPlane;
let credits: CreditRows;
let gate: CreditGate;

beforeEach(() => {
  plane = new KernelPlane();
  ({ credits } = plane.begin());
  gate = new CreditGate({ credits, clock: new FakeClock() });
});
afterEach(() => plane.dispose());

const turn = (number: number) => ({ ...ALICE, reference: `turn ${number}`, sessionId: "s1" });

describe("granting", () => {
  test("adds credits once per reference, and at least one", async () => {
    await using home = await TestKernel.boot();
    const grant = (amount: number, more: object = {}) => ({ wallet: "ALICE7", amount, ...more });
    expect(await home.sys.call<CreditBalance>("credits.grant", grant(100))).toMatchObject({ available: 100 });
    await home.sys.call("credits.grant", grant(50, { reference: "invoice 12" }));
    expect(await home.refusal("credits.grant", grant(50, { reference: "invoice 12" }))).toMatchObject({
      code: "EEXIST",
    });
    for (const amount of [0, -5, 1_000_001])
      expect(await home.refusal("credits.grant", grant(amount))).toMatchObject({ code: "EINVAL" });
    const { balances } = await home.sys.call<{ balances: CreditBalance[] }>("credits.balance", {});
    expect(balances).toEqual([expect.objectContaining({ wallet: "ALICE7", available: 150, purchased: 150 })]);
  });
});

describe("turns", () => {
  test("are charged one by one, with a warning when few credits are left and an end at zero", async () => {
    await credits.add(ALICE, { type: "grant", amount: 2, now: 1 });
    expect(await gate.chargeTurn(turn(1))).toEqual({
      success: true,
      isLow: true,
      isExhausted: false,
      isKnown: false,
      available: 1,
    });
    expect(await gate.chargeTurn(turn(1))).toMatchObject({ success: true, available: 1 });
    expect(await gate.chargeTurn(turn(2))).toEqual({
      success: true,
      isLow: true,
      isExhausted: true,
      isKnown: false,
      available: 0,
    });
    expect(await gate.mayStart(ALICE)).toBe(false);
    expect(await gate.chargeTurn(turn(3))).toMatchObject({ success: false, isExhausted: true });
    const rows = await credits.ledger(ALICE, { limit: 20 });
    expect(rows.map(({ type, balanceAfter }) => [type, balanceAfter])).toEqual([
      ["deduction", 0],
      ["deduction", 1],
      ["grant", 2],
    ]);
  });

  test("a new sender gets the free credits once", async () => {
    expect(await gate.mayStart(ALICE)).toBe(true);
    expect(await gate.mayStart(ALICE)).toBe(true);
    expect((await credits.balance(ALICE)).available).toBe(100);
    const bob = { ownerUid: 1000, wallet: "BOB" };
    await credits.setRate(1000, "free_credits_on_first_message", 0, 1);
    expect(await gate.mayStart(bob)).toBe(false);
  });

  test("reserved credits cannot be spent by others, and unused ones are returned", async () => {
    await credits.add(ALICE, { type: "grant", amount: 25, now: 1 });
    expect(await gate.reserve(ALICE, { count: 2, reference: "g1" })).toBe(20);
    expect(await gate.reserve(ALICE, { count: 1, reference: "g2" })).toBeNull();
    expect(await gate.settle(ALICE, { amount: 20, taken: 7, reference: "g1" })).toBe(true);
    expect(await credits.balance(ALICE)).toMatchObject({ credits: 18, reserved: 0, available: 18, consumed: 7 });
    expect(await gate.settle(ALICE, { amount: 20, taken: 7, reference: "g3" })).toBe(false);
  });

  test("a payment becomes whole credits, once", async () => {
    const paid = (microAlgos: number, txid: string) => gate.purchase(ALICE, { microAlgos, txid });
    expect([await paid(999, "a"), await paid(1000, "b"), await paid(1_999_999, "c"), await paid(1000, "b")]).toEqual([
      0, 1, 1999, 0,
    ]);
  });
});

test("grants, charges and reservations never make a balance negative, and the ledger adds up", async () => {
  const moves = fc.array(
    fc.record({
      verb: fc.constantFrom("add", "take", "reserve", "settle"),
      amount: fc.integer({ min: 1, max: 40 }),
      taken: fc.integer({ min: 0, max: 50 }),
      reference: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
    }),
    { maxLength: 30 },
  );
  let wallet = 0;
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const whose = { ownerUid: 1000, wallet: `W${wallet++}` };
      let credited = 0;
      let spent = 0;
      for (const { verb, amount, taken, reference } of all) {
        const type = ({ add: "grant", take: "deduction", reserve: "reserve", settle: "release" } as const)[verb];
        const move = { type, amount, reference, now: 1 };
        const made =
          verb === "settle" ? await credits.settle(whose, { ...move, taken }) : await credits[verb](whose, move);
        if (made.ok && verb === "add") credited += amount;
        if (made.ok && verb === "take") spent += amount;
        if (made.ok && verb === "settle") spent += taken;
        const { available, reserved } = made.balance;
        expect(available).toBeGreaterThanOrEqual(0);
        expect(reserved).toBeGreaterThanOrEqual(0);
      }
      expect(await credits.balance(whose)).toMatchObject({
        credits: credited - spent,
        purchased: credited,
        consumed: spent,
      });
    }),
    { numRuns: 30 },
  );
});
