// The reference is derived from the declarations; the golden page shows the effect of a changed declaration as a diff. Update:
// UPDATE_GOLDEN=1 bun test ./test/syscalls/reference.test.ts

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { syscall } from "../../src/syscalls/define.ts";
import { parseArgs } from "../../src/syscalls/parse.ts";
import { reference, referencePage } from "../../src/syscalls/reference.ts";
import type { Declared } from "../../src/syscalls/table.ts";

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
    const args = JSON.parse(json.replaceAll('"ID"', '"0190a1b2-0000-7000-8000-000000000000"'));
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
