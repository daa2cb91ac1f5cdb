// A change that is sent again late, to a later kernel.

import { expect, test } from "bun:test";
import { sha256Hex } from "../../src/lib/hash.ts";
import { TestKernel } from "../support/kernel.ts";

type Args = { readonly [name: string]: unknown };

interface Change {
  readonly call: string;
  readonly root?: true;
  readonly older: Args;
  /** Made after the older one; the same call unless named. */
  readonly newer: Args | { readonly call: string; readonly args: Args };
  /** The read that shows the change. */
  readonly seen: readonly [call: string, args: Args];
  readonly before?: readonly (readonly [call: string, args: Args])[];
}

const AGENT = ["agent.create", { name: "ada" }] as const;
const BUNDLE = ["bundle.create", { name: "writer" }] as const;
const PROJECT = ["project.create", { name: "site" }] as const;
const CHANGES: readonly Change[] = [
  {
    call: "config.set",
    older: { key: "userTimezone", value: "UTC" },
    newer: { key: "userTimezone", value: "Europe/Berlin" },
    seen: ["config.get", { key: "userTimezone" }],
  },
  {
    call: "config.unset",
    older: { key: "userTimezone" },
    newer: { call: "config.set", args: { key: "userTimezone", value: "UTC" } },
    seen: ["config.get", { key: "userTimezone" }],
  },
  {
    call: "config.apply",
    older: { changes: { userTimezone: "UTC" } },
    newer: { changes: { userTimezone: "Europe/Berlin" } },
    seen: ["config.get", { key: "userTimezone" }],
  },
  {
    call: "agent.edit",
    before: [AGENT],
    older: { name: "ada", model: "offline" },
    newer: { name: "ada", model: "" },
    seen: ["agent.show", { name: "ada" }],
  },
  {
    call: "agent.rm",
    before: [AGENT],
    older: { name: "ada" },
    newer: { call: "agent.create", args: { name: "ada" } },
    seen: ["agent.show", { name: "ada" }],
  },
  {
    call: "persona.set",
    before: [AGENT],
    older: { name: "ada", traits: "dry" },
    newer: { name: "ada", traits: "warm" },
    seen: ["agent.show", { name: "ada" }],
  },
  {
    call: "persona.clear",
    before: [AGENT],
    older: { name: "ada" },
    newer: { call: "persona.set", args: { name: "ada", traits: "warm" } },
    seen: ["agent.show", { name: "ada" }],
  },
  {
    call: "bundle.edit",
    before: [BUNDLE],
    older: { name: "writer", prompt: "one" },
    newer: { name: "writer", prompt: "two" },
    seen: ["bundle.show", { name: "writer" }],
  },
  {
    call: "bundle.rm",
    before: [BUNDLE],
    older: { name: "writer" },
    newer: { call: "bundle.create", args: { name: "writer", prompt: "two" } },
    seen: ["bundle.list", {}],
  },
  {
    call: "bundle.assign",
    before: [AGENT],
    older: { name: "coder", agent: "ada" },
    newer: { call: "bundle.unassign", args: { name: "coder", agent: "ada" } },
    seen: ["agent.show", { name: "ada" }],
  },
  {
    call: "project.edit",
    before: [PROJECT],
    older: { name: "site", instructions: "one" },
    newer: { name: "site", instructions: "two" },
    seen: ["project.show", { name: "site" }],
  },
  {
    call: "project.rm",
    before: [PROJECT],
    older: { name: "site" },
    newer: { call: "project.create", args: { name: "site" } },
    seen: ["project.list", {}],
  },
  {
    call: "credits.grant",
    older: { wallet: "ALICE7", amount: 10, reference: "invoice 1" },
    newer: { wallet: "ALICE7", amount: 5 },
    seen: ["credits.balance", { wallet: "ALICE7" }],
  },
  {
    call: "group.mod",
    root: true,
    before: [["group.add", { name: "readers" }]],
    older: { name: "readers", grant: "fs.read" },
    newer: { name: "readers", revoke: "fs.read" },
    seen: ["group.list", {}],
  },
  {
    call: "account.update",
    root: true,
    older: { username: "friday", comment: "one" },
    newer: { username: "friday", comment: "two" },
    seen: ["account.list", {}],
  },
  {
    call: "credits.rate",
    older: { rate: "credits_per_turn", value: 2 },
    newer: { rate: "credits_per_turn", value: 5 },
    seen: ["credits.rate", {}],
  },
  {
    call: "proc.budget",
    older: { pid: "init:1000", budget: "$1" },
    newer: { pid: "init:1000", budget: "$5" },
    seen: ["proc.budgets", { pid: "init:1000" }],
  },
];

test.each(CHANGES)("$call: an older change that is sent again does not undo a newer one", async (row) => {
  await using home = await TestKernel.boot();
  const sys = () => (row.root === true ? home.person(0) : home.sys);
  for (const [call, args] of row.before ?? []) await sys().call(call, args);
  const older = () => sys().call<object>(row.call, row.older, { requestId: "req-1" });
  const first = await older();
  const newer = "call" in row.newer ? (row.newer as { call: string; args: Args }) : { call: row.call, args: row.newer };
  await sys().call(newer.call, newer.args);
  const [call, args] = row.seen;
  const seen = await sys().call<object>(call, args);
  await home.restart();
  expect(await older()).toEqual(first);
  expect(await sys().call<object>(call, args)).toEqual(seen);
});

test("an older password that is sent again does not replace a newer one, and no checksum of it is stored", async () => {
  await using home = await TestKernel.boot();
  const older = { username: "sam", password: "correct horse" };
  const change = () => home.person(0).call<object>("account.passwd", older, { requestId: "req-1" });
  const first = await change();
  await home.person(0).call("account.passwd", { username: "sam", password: "battery staple" });
  await home.restart();
  expect(await change()).toEqual(first);
  await (await home.login({ user: "sam", password: "battery staple" })).call("proc.list", {});
  const checksum = sha256Hex(JSON.stringify(["account.passwd", older]));
  const byChecksum = await home.stores.kernel.requests.latest(checksum);
  expect(byChecksum).toBeNull();
  const named = sha256Hex(JSON.stringify(["account.passwd", { ...older, password: "[secret]" }]));
  expect(await home.stores.kernel.requests.latest(named)).not.toBeNull();
});

test.each([
  ["proc.label", "label", "one", "two"],
  ["proc.nice", "nice", "3", "7"],
  ["proc.mode", "mode", "plan", "ask"],
])("%s: an older change that is sent again does not undo a newer one", async (call, field, older, newer) => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  const change = (value: string, requestId: string) =>
    home.sys.call<object>(call, { pid, [field]: value }, { requestId });
  const first = await change(older, "req-1");
  await change(newer, "req-2");
  await home.restart();
  expect(await change(older, "req-1")).toEqual(first);
  const seen = call === "proc.nice" ? await home.sys.call<object>(call, { pid }) : await home.get(pid);
  expect(String(Object(seen)[field])).toBe(newer);
});
