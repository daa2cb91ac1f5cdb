// The process manager is in the program, and is a face: everything it does goes through the calls of the kernel.

import { expect, test } from "bun:test";
import { isTest, PRODUCT, readTree } from "../tidy/tree.ts";

const tree = readTree(PRODUCT);
const MANAGER = "src/process/manager/";

function reachedFrom(entry: string): ReadonlySet<string> {
  const reached = new Set<string>();
  for (const next = [entry]; next.length > 0; ) {
    const path = next.pop() ?? "";
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { target, own, kind } of tree.get(path)?.imports ?? []) if (own && kind !== "type") next.push(target);
  }
  return reached;
}

test("the program's entry leads to the manager", () => {
  expect(reachedFrom("src/main.ts")).toContain(`${MANAGER}manager.ts`);
});

test("the manager reaches processes by the kernel's calls alone: no store, no run, no ledger", () => {
  const own = [...tree.values()].filter(({ path }) => path.startsWith(MANAGER) && !isTest(path));
  const used = own.flatMap(({ imports }) =>
    imports.filter(({ own: isOwn, kind }) => isOwn && kind !== "type").map(({ target }) => target),
  );
  const beyond = used.filter((target) => !/^src\/(?:abi|lib|client|process\/manager)\//.test(target));
  // A constant: the reason of a run that was given up.
  expect([...new Set(beyond)]).toEqual(["src/process/run/retry-plan.ts"]);
});

test("nothing stops or resumes a process but the one Control", () => {
  const holders = [...tree.values()].filter(({ path, code }) => !isTest(path) && /\bstore\.setStopped\(/.test(code));
  expect(holders.map(({ path }) => path).sort()).toEqual(["src/process/life/control.ts"]);
});

test("the class is at most 300 lines", async () => {
  const text = await Bun.file(`${MANAGER}manager.ts`).text();
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(300);
});
