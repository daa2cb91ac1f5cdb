// The reference is derived from the declarations; the golden page shows the effect of a changed declaration as a diff. Update:
// UPDATE_GOLDEN=1 bun test ./test/syscalls/reference.test.ts

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { READS } from "../../src/client/reads.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { type CallContext, syscall } from "../../src/syscalls/define.ts";
import { parseArgs } from "../../src/syscalls/parse.ts";
import { reference, referencePage } from "../../src/syscalls/reference.ts";
import type { Declared, Services } from "../../src/syscalls/table.ts";

const UUID = "0190a1b2-0000-7000-8000-000000000000";
const GOLDEN = join(import.meta.dir, "../golden/syscalls.md");

test("the page of the syscalls matches the declarations", async () => {
  if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, referencePage());
  expect(referencePage()).toBe(await Bun.file(GOLDEN).text());
});

test("the page has every syscall with its capability and all its arguments", () => {
  const sections = new Map(reference().map((section) => [section.name, section]));
  expect([...sections.keys()]).toEqual([...SYSCALLS.keys()]);
  for (const { name, capability, input } of SYSCALLS.values()) {
    const text = sections.get(name)?.text ?? "";
    expect(text).toContain(`capability \`${capability}\``);
    for (const key of Object.keys(input)) expect(text).toContain(`- \`${key}\` (`);
  }
});

test("the examples of the page have every required argument in a valid form", () => {
  for (const { name, synopsis } of reference()) {
    const json = /^gsv api \S+(?: '(.*)')?$/.exec(synopsis)?.[1] ?? "{}";
    const args = JSON.parse(json.replaceAll('"ID"', `"${UUID}"`));
    expect(() => parseArgs(SYSCALLS.get(name)?.input ?? {}, args, { unknownKeys: "refuse" })).not.toThrow();
  }
});

test("a declaration that takes a service which does not exist does not compile", () => {
  const call = syscall({
    name: "proc.nothing",
    summary: "Do nothing",
    class: "read",
    input: {},
    run: async (services: { nothing: string }) => services.nothing,
  });
  // @ts-expect-error Services has no `nothing`.
  const declared: Declared = call;
  expect(declared.name).toBe("proc.nothing");
});

test("a call of class read uses only methods that the read-only view has", async () => {
  const used = new Map<string, string[]>();
  for (const { name, synopsis } of reference()) {
    const call = SYSCALLS.get(name);
    if (call?.class !== "read") continue;
    const json = /^gsv api \S+(?: '(.*)')?$/.exec(synopsis)?.[1] ?? "{}";
    const args = parseArgs(call.input, JSON.parse(json.replaceAll('"ID"', `"${UUID}"`)), { unknownKeys: "refuse" });
    const service = (of: string) =>
      new Proxy({}, { get: (_none, method) => async () => used.set(of, [...(used.get(of) ?? []), String(method)]) });
    const services = new Proxy({}, { get: (_none, of) => service(String(of)) }) as Services;
    await call.run(services, args, { caller: { ownerUid: 0 } } as CallContext).catch(() => undefined);
  }
  for (const [of, methods] of used)
    expect([of, methods.filter((each) => !(READS as { [of: string]: readonly string[] })[of]?.includes(each))]).toEqual(
      [of, []],
    );
  expect([...used.keys()].sort()).toEqual(Object.keys(READS).sort());
});
