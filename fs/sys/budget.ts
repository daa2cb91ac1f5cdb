// /sys/budget: one directory per process with a budget, and `day` for the account. `usd.max`, `tokens.max` and `time.max` (seconds) are the
// limits (`max`: none), `.current` is the usage. Writing calls proc.budget, which only people may.

import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { budgetText, UNLIMITED } from "../../src/abi/process/budget.ts";
import { exactUsd, microsOf } from "../../src/abi/process/money.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { FileError } from "../error.ts";
import type { Row } from "../generated/synthetic.ts";

interface Budget {
  readonly pid: string | null;
  readonly maxUsd: number | null;
  readonly maxTokens: number | null;
  readonly maxMs: number | null;
  readonly usedUsd: number;
  readonly usedTokens: number;
  readonly usedMs: number;
}

interface Measure {
  readonly max: (budget: Budget) => string | null;
  readonly current: (budget: Budget) => string;
  /** The limit in the notation of proc.budget. */
  readonly written: (amount: string) => string;
}

const MEASURES: { readonly [name: string]: Measure } = {
  usd: {
    max: ({ maxUsd }) => (maxUsd === null ? null : plainUsd(maxUsd)),
    current: ({ usedUsd }) => plainUsd(usedUsd),
    written: (amount) => `$${amount}`,
  },
  tokens: {
    max: ({ maxTokens }) => (maxTokens === null ? null : String(maxTokens)),
    current: ({ usedTokens }) => String(usedTokens),
    written: (amount) => `${amount} tokens`,
  },
  time: {
    max: ({ maxMs }) => (maxMs === null ? null : String(maxMs / 1000)),
    current: ({ usedMs }) => String(Math.floor(usedMs / 1000)),
    written: (amount) => `${amount}s`,
  },
};

const DAY = "day";

export function budgetRows(sysFor: (caller: Caller) => Sys, actFor: (caller: Caller) => Sys): readonly Row[] {
  const all = async (caller: Caller) =>
    (await sysFor(caller).call<{ budgets: readonly Budget[] }>("proc.budgets", {})).budgets;
  const names = async (caller: Caller) => (await all(caller)).map(({ pid }) => pid ?? DAY);
  const of = async (caller: Caller, name: string): Promise<Budget> => {
    const found = (await all(caller)).find(({ pid }) => (pid ?? DAY) === name);
    if (found === undefined) throw new FileError("ENOENT", `/budget/${name}`);
    return found;
  };
  const files = Object.entries(MEASURES).flatMap(([measure, { max, current, written }]): Row[] => [
    {
      path: `/budget/*/${measure}.max`,
      owner: async ({ uid, gid }) => ({ uid, gid }),
      text: async (caller, [name = ""]) => `${max(await of(caller, name)) ?? "max"}\n`,
      write: async (caller, [name = ""], text) => {
        if (name === DAY) throw dayIsASetting();
        const amount = text.trim();
        const args = { pid: name, budget: changed(await of(caller, name), measure, amount, written) };
        await actFor(caller).call("proc.budget", args);
      },
    },
    {
      path: `/budget/*/${measure}.current`,
      text: async (caller, [name = ""]) => `${current(await of(caller, name))}\n`,
    },
  ]);
  return [
    { path: "/budget/*", list: names, has: async (caller, _before, name) => (await names(caller)).includes(name) },
    ...files,
  ];
}

/** "+5" adds to the limit; otherwise the other limits stay. */
function changed(before: Budget, measure: string, amount: string, written: (amount: string) => string): string {
  if (amount.startsWith("+")) return `+${written(amount.slice(1))}`;
  const parts = Object.entries(MEASURES).flatMap(([name, each]) => {
    const bound = name === measure ? (amount === "max" ? null : amount) : each.max(before);
    return bound === null ? [] : [each.written(bound)];
  });
  return parts.join(",") || budgetText(UNLIMITED);
}

function plainUsd(usd: number): string {
  return exactUsd(microsOf(usd)).slice(1);
}

function dayIsASetting(): SysError {
  return new SysError("EPERM", "the daily budget of an account is a setting", ["gsv config set budget.day '$10'"]);
}
