// Needs and dangers of a command, over a table of commands: needs.txt has a row for each.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Bash } from "just-bash/browser";
import { needsOfLine } from "../../../src/process/approvals/approval-card/command-needs.ts";
import { shellLine } from "../../../src/process/approvals/policy/shell-line.ts";

const bash = new Bash({ defenseInDepth: false, commands: [] });
const ROW = /^(.+?) \| ((?:(?:net|(?:remote-)?ssh|git(?:-settings)?) )*)\| ?(! )?(.*)$/;
const rows = readFileSync(join(import.meta.dir, "needs.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

test("there are at least 120 rows, each with its own command", () => {
  expect(new Set(rows.map((row) => ROW.exec(row)?.[1])).size).toBeGreaterThanOrEqual(120);
});

test.each(rows)("%s", async (row) => {
  const [, command = "", words = "", exact, dangers = ""] = ROW.exec(row) ?? [];
  const needed = new Set(words.split(" "));
  const needs = needsOfLine(await shellLine(command, async () => (text) => bash.transform(text).ast));
  expect(needs).toEqual({
    network: needed.has("net"),
    ssh: needed.has("ssh") ? "yes" : needed.has("remote-ssh") ? "by remote" : "no",
    git: needed.has("git-settings") ? "settings" : needed.has("git") ? "write" : "read",
    dangers: dangers === "" ? [] : dangers.split("; "),
    exactOnly: exact !== undefined,
  });
});
