// credits.*: what people who write through a channel may use. The owner's own work costs no credits.

import { CREDIT_RATES, type CreditBalance, type CreditRate, type CreditRow } from "../../abi/process/credits.ts";
import { field, syscall, value } from "../define.ts";
import type { Credits } from "./agent-service.ts";

type Service = { credits: Credits };

const wallet = field.text("address or name of a person on a channel", {
  positional: true,
  shortest: 1,
  longest: 200,
  meta: "WALLET",
});
const RATES = Object.keys(CREDIT_RATES) as CreditRate[];
const TAKES: readonly string[] = ["deduction", "agent_message"];

export const creditCalls = [
  syscall({
    name: "credits.balance",
    summary: "Show credit balances",
    class: "read",
    input: { wallet: field.optional(wallet) },
    cli: {
      examples: ["gsv credits balance", "gsv credits balance ALICE7"],
      print: {
        kind: "table",
        rows: (result: { balances: readonly CreditBalance[] }) => result.balances,
        empty: "no credits yet: gsv credits grant WALLET AMOUNT",
        columns: [
          { head: "WALLET", cell: (row: CreditBalance) => row.wallet },
          { head: "AVAILABLE", cell: (row: CreditBalance) => String(row.available), align: "right" },
          { head: "RESERVED", cell: (row: CreditBalance) => String(row.reserved), align: "right" },
          { head: "GOT", minor: 1, cell: (row: CreditBalance) => String(row.purchased), align: "right" },
          { head: "USED", minor: 1, cell: (row: CreditBalance) => String(row.consumed), align: "right" },
        ],
      },
    },
    run: ({ credits }: Service, args, { caller }) => credits.balance(caller, args.wallet),
  }),
  syscall({
    name: "credits.grant",
    summary: "Grant credits",
    class: "keyed",
    by: "person",
    input: {
      wallet,
      amount: field.int("number of credits", { positional: true, meta: "AMOUNT" }),
      reference: field.optional(
        field.text("reason; each reason is granted once", { shortest: 1, longest: 200, meta: "TEXT" }),
      ),
    },
    cli: {
      examples: ["gsv credits grant ALICE7 100", 'gsv credits grant ALICE7 100 --reference "invoice 12"'],
      print: value((row: CreditBalance) => `${row.wallet} has ${row.available} credits`),
    },
    run: ({ credits }: Service, args, context) => credits.grant(context, args),
  }),
  syscall({
    name: "credits.ledger",
    summary: "List credit transactions, newest first",
    class: "read",
    input: {
      wallet,
      limit: field.withDefault(field.int("maximum number of rows", { min: 1, max: 1000, meta: "N" }), 20),
      before: field.optional(field.int("only rows before this id", { hide: "both" })),
    },
    cli: {
      examples: ["gsv credits ledger ALICE7", "gsv credits ledger ALICE7 --limit 100 --json"],
      print: {
        kind: "table",
        rows: (result: { rows: readonly CreditRow[] }) => result.rows,
        empty: "(no transactions)",
        columns: [
          { head: "WHEN", since: (row: CreditRow) => row.createdAt, align: "right" },
          { head: "WHAT", cell: (row: CreditRow) => row.type },
          {
            head: "AMOUNT",
            cell: (row: CreditRow) => `${TAKES.includes(row.type) ? "-" : ""}${row.amount}`,
            align: "right",
          },
          { head: "LEFT", cell: (row: CreditRow) => String(row.balanceAfter), align: "right" },
          { head: "FOR", cell: (row: CreditRow) => row.reference ?? "-", shrink: true },
          { head: "SESSION", minor: 1, cell: (row: CreditRow) => row.sessionId ?? "-" },
        ],
      },
    },
    run: ({ credits }: Service, args, { caller }) => credits.ledger(caller, args),
  }),
  syscall({
    name: "credits.rate",
    summary: "Show or set prices in credits",
    class: "keyed",
    by: "person",
    input: {
      rate: field.optional(field.choice("which", RATES, { positional: true, meta: "RATE" })),
      value: field.optional(field.int("new price", { positional: true, max: 1_000_000, meta: "CREDITS" })),
    },
    cli: {
      examples: ["gsv credits rate", "gsv credits rate credits_per_turn 2"],
      print: {
        kind: "table",
        rows: (result: { rates: readonly { name: string; value: number }[] }) => result.rates,
        empty: "(no rates)",
        columns: [
          { head: "RATE", cell: (row: { name: string }) => row.name },
          { head: "CREDITS", cell: (row: { value: number }) => String(row.value), align: "right" },
        ],
      },
    },
    run: ({ credits }: Service, args, context) => credits.rate(context, args),
  }),
] as const;
