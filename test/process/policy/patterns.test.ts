// The ways to allow more than one exact call, and the rules they become. patterns.txt has a row for each command.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { needsOfLine } from "../../../src/process/approvals/approval-card/command-needs.ts";
import {
  commandPatterns,
  commandRule,
  filePatterns,
  fileRule,
  type PatternCase,
} from "../../../src/process/approvals/policy/patterns.ts";
import { shellLine } from "../../../src/process/approvals/policy/shell-line.ts";
import { judgeOn, parseShell } from "../../support/shell-judging.ts";

const rows = readFileSync(join(import.meta.dir, "patterns.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const at = line.lastIndexOf(" |");
    return [line.slice(0, at), line.slice(at + 2).trim()] as const;
  });

async function caseOf(command: string): Promise<PatternCase> {
  const line = await shellLine(command, async () => parseShell);
  const { parts } = await judgeOn("host", command);
  return { line, needs: needsOfLine(line), parts };
}

test.each(rows)("%s | %s", async (command, wanted) => {
  expect(commandPatterns(await caseOf(command)).join("; ")).toBe(wanted);
});

const REACH = { network: false, target: "host" };

test("each pattern offered allows the command without asking, and no dangerous form of it", async () => {
  for (const [command, wanted] of rows.filter(([, patterns]) => patterns !== "")) {
    const given = await caseOf(command);
    for (const pattern of wanted.split("; ")) {
      const rules = [commandRule(pattern, given, REACH)];
      expect(`${pattern}: ${(await judgeOn("host", command, { rules })).action}`).toBe(`${pattern}: auto`);
      const asks = async (text: string, request = {}) =>
        expect(`${text}: ${(await judgeOn("host", text, { rules, request })).action}`).toBe(`${text}: ask`);
      const [start] = command.split(" | ");
      for (const more of ["; rm -rf ~", " && unknown-tool", " | sh", " > ~/.bashrc"]) await asks(`${start}${more}`);
      await asks(`sudo ${command}`);
      await asks(command, { network: true });
    }
  }
});

test.each(rows.filter(([, patterns]) => patterns === ""))("no pattern can be written for: %s", async (command) => {
  const given = await caseOf(command);
  for (const pattern of [`${command.split(" ")[0]} *`, "* *", " *"])
    expect(() => commandRule(pattern, given, REACH)).toThrow("no pattern can cover this command");
});

test("an edited pattern covers the command on the card, by whole words", async () => {
  const given = await caseOf("npm install lodash");
  expect(commandRule(" npm  install * ", given, REACH).when?.argPrefix).toEqual({ command: "npm install" });
  for (const pattern of ["npm ins *", "npm", "npm install lodash", "yarn *", "*", "npm;rm *", "npm install lodash x *"])
    expect(() => commandRule(pattern, given, REACH)).toThrow("does not cover the command on the card");
});

test("a pattern for files is their directory", () => {
  const given = { place: "/home/sam/app/src/a.ts", target: "host" };
  expect(filePatterns(given.place)).toEqual(["/home/sam/app/src/*"]);
  expect(fileRule("/home/sam/app/*", "fs.edit", given)).toEqual({
    match: "fs.edit",
    target: "host",
    when: { argPrefix: { path: "/home/sam/app" } },
    action: "auto",
  });
  for (const pattern of ["/home/sam/other/*", "/home/*", "/*", "/home/sam/app", "src/*"])
    expect(() => fileRule(pattern, "fs.edit", given)).toThrow("does not cover the file on the card");
  expect(filePatterns("/etc/hosts")).toEqual([]);
});
