// Every call answers bad arguments with a result or a one-line SysError, never another exception, and leaves the kernel unharmed. The
// arguments are generated from the declarations, so new calls are covered.

import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { isCode, SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import type { Field } from "../../src/syscalls/define.ts";
import type { AnySyscall } from "../../src/syscalls/table.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { samples } from "../support/soak.ts";

const SEED = 20260102;

const NASTY = [
  "",
  " ",
  "-",
  "--limit",
  "-1",
  "\0",
  "a\0b",
  "a\nb\tc",
  "\x1b[31mred\x1b[0m",
  "\u202eevil\u202c",
  "\u200b",
  "\ud800",
  "é",
  "e\u0301",
  "９９",
  "0x10",
  "1e3",
  "NaN",
  "../../../etc/passwd",
  "/",
  "//",
  "~",
  "~root/x",
  "~__proto__",
  "/proc/self/../../proc/init:1000/status",
  "/a".repeat(3000),
  "x".repeat(300),
  "x".repeat(300_000),
  "__proto__",
  "constructor",
  "toString",
  "init:1000",
  "init:0",
  "init:00",
  "init:99999999999",
  "task:abc123",
  "TASK:ABC123",
  "task:abc１２３",
  "' OR 1=1 --",
  "%s%n",
  "(a+)+$",
  "[",
  "**/**/**/**",
  "0190a1b2-0000-7000-8000-000000000001",
  "0190A1B2-0000-7000-8000-000000000001",
];
const NUMBERS = [
  0,
  1,
  -1,
  0.5,
  -0,
  1e21,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 53,
  2 ** 53 - 1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];

// Every UTF-16 unit, lone surrogates included. The unit "binary" of fast-check would first build a table of a million.
const letter = fc.integer({ min: 0, max: 0x10ffff }).map((number) => String.fromCodePoint(number));
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: letter, maxLength: 40 }));
const anything = fc.oneof(
  text,
  fc.constantFrom(...NUMBERS),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.array(fc.constant(INIT), { minLength: 65, maxLength: 65 }),
  fc.object({ maxDepth: 2, maxKeys: 3 }),
);

/** Mostly of the right type, so that later checks are reached too. */
function valueFor(field: Field<unknown, boolean>): fc.Arbitrary<unknown> {
  const right: { readonly [kind: string]: fc.Arbitrary<unknown> } = {
    int: fc.oneof(fc.constantFrom(...NUMBERS), fc.nat(600)),
    uid: fc.constantFrom(...NUMBERS, 1000, 1001),
    flag: fc.boolean(),
    choice: fc.constantFrom(...(field.choices ?? ["none"])),
    pids: fc.array(fc.constantFrom(INIT, "task:zzzzzz", "nope"), { maxLength: 4 }),
    pid: fc.constantFrom(INIT, "task:zzzzzz", "init:1"),
    path: fc.constantFrom("/", "~", "/proc", "/proc/self/status", "/var/sessions", "/tmp/x", "a/b", ...NASTY),
  };
  return fc.oneof({ weight: 3, arbitrary: right[field.kind] ?? text }, { weight: 1, arbitrary: anything });
}

function argsOf(call: AnySyscall): fc.Arbitrary<unknown> {
  const shape = Object.fromEntries(Object.entries(call.input).map(([name, field]) => [name, valueFor(field)]));
  const extra = fc.dictionary(fc.constantFrom("__proto__", "constructor", "extra", "PID"), anything, { maxKeys: 2 });
  const named = fc.tuple(fc.record(shape, { requiredKeys: [] }), extra).map(([args, more]) => ({ ...more, ...args }));
  return fc.oneof({ weight: 9, arbitrary: named }, { weight: 1, arbitrary: anything });
}

async function check(sys: Sys, call: AnySyscall, args: unknown): Promise<void> {
  // A wait may never end by itself; it only has to be cancellable.
  const signal = AbortSignal.timeout(50);
  try {
    const waits = call.class === "wait" || "waitMs" in call.input;
    const answer = await sys.call(call.name, args as object, waits ? { signal } : {});
    JSON.stringify(answer);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    expect(isCode(error.code)).toBe(true);
    expect(error.message).toMatch(/^[^\n\r\0\x1b]+$/);
    expect(error.message.length).toBeLessThan(6000);
    expect(error.code === "EIO" && error.message.includes("fault inside")).toBe(false);
  }
}

// Read-only calls share one kernel, which must be unchanged afterwards.
let looked: Promise<TestKernel> | null = null;
afterAll(async () => await (await looked)?.[Symbol.asyncDispose]());

async function tryOut(call: AnySyscall, home: TestKernel): Promise<void> {
  const inside = await home.insideOf(INIT);
  await fc.assert(
    fc.asyncProperty(argsOf(call), fc.boolean(), (args, asProcess) => check(asProcess ? inside : home.sys, call, args)),
    { seed: SEED, numRuns: samples(10, 1000), endOnFailure: true },
  );
  expect((await home.get(INIT)).pid).toBe(INIT);
  expect(home.faults).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

for (const call of SYSCALLS.values()) {
  test(
    `${call.name} answers or refuses in one line, with any arguments`,
    async () => {
      if (call.class === "read") {
        looked ??= TestKernel.boot();
        await tryOut(call, await looked);
      } else {
        await using home = await TestKernel.boot();
        await tryOut(call, home);
      }
    },
    samples(20_000, 600_000),
  );
}
