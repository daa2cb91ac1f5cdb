// Processes as rows: the tree of parents, in any order, and the columns of a narrow screen.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { age, flatRows, processTable, sorted, treeRows } from "../../commands/proc/process-table.ts";
import type { ProcessInfo, State } from "../../src/abi/process/process.ts";
import { processInfo } from "../support/process-info.ts";

function process(pid: string, about: Partial<ProcessInfo> = {}): ProcessInfo {
  return processInfo({ pid, runAs: "sam", profile: "task", ...about });
}

const FAMILY = [
  process("init:1000", { profile: "init", label: "personal", createdAt: 1 }),
  process("task:k3", { parentPid: "init:1000", state: "waiting_tool", label: "docs audit", createdAt: 2 }),
  process("task:m9", {
    parentPid: "task:k3",
    state: "waiting_hil",
    waitsFor: { kind: "approval", id: "a1b2", tool: "Fetch", summary: "https://example.org/\u001b[2J" },
    createdAt: 3,
  }),
  process("task:p2", { parentPid: "init:1000", createdAt: 4 }),
  process("task:or", { parentPid: "task:gone", createdAt: 5 }),
];

test("a tree of parents, the state as a letter, and the reason of each wait", () => {
  const { head, lines } = processTable(treeRows(FAMILY), { columns: 200, now: 60_000 });
  expect(head).toStartWith("PID          S  OWNER");
  expect(lines.map((line) => line.slice(0, 14).trimEnd())).toEqual([
    "init:1000    S",
    "├ task:k3    D",
    "│ └ task:m9  W",
    "└ task:p2    S",
    "task:or      S",
  ]);
  expect(lines[2]).toEndWith("Fetch https://example.org/␛[2J");
});

test("a narrow screen drops the least important columns, and no row is wider than it", () => {
  for (const columns of [30, 40, 60, 80, 100]) {
    const { head, lines } = processTable(treeRows(FAMILY), { columns: columns, now: 60_000 });
    expect(head).toContain("PID");
    expect(head).toContain("LABEL");
    for (const line of [head, ...lines]) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  }
  expect(processTable(flatRows(FAMILY), { columns: 60, now: 0 }).head).not.toContain("PROFILE");
});

test("urgent processes come first when sorted by state", () => {
  expect(
    sorted(FAMILY, "state")
      .map(({ pid }) => pid)
      .slice(0, 2),
  ).toEqual(["task:m9", "task:k3"]);
});

test("every process is in the tree once, with any parents", () => {
  const pid = fc.integer({ min: 0, max: 8 }).map((number) => `task:${number}`);
  const some = fc.uniqueArray(fc.tuple(pid, fc.option(pid)), { selector: ([name]) => name, maxLength: 9 });
  fc.assert(
    fc.property(some, (pairs) => {
      const all = pairs.map(([name, parentPid], at) =>
        process(name, { parentPid, createdAt: at, state: "idle" as State }),
      );
      const shown = treeRows(all).map((row) => row.process.pid);
      expect(shown.toSorted()).toEqual(all.map((each) => each.pid).toSorted());
    }),
  );
});

test.each([
  [0, "0s"],
  [61_000, "1:01"],
  [3_600_000, "1h00"],
  [49 * 3_600_000, "2d1h"],
])("%d ms are %s", (ms, text) => expect(age(ms)).toBe(text));
