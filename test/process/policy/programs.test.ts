// The table of programs is the only list of them: a program cannot be harmless for one guard and unknown to another.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAMS, programNamed } from "../../../src/abi/programs.ts";
import { tagsOf, unstableOption } from "../../../src/process/approvals/policy/command-tags.ts";

const ROOT = join(import.meta.dir, "../../..");
const POLICY = "src/process/approvals/policy";
const NAMES = Object.keys(PROGRAMS).flatMap((names) => names.split(" "));

const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("each name stands once in the table", () => {
  expect(NAMES.length).toBeGreaterThan(150);
  expect(NAMES.filter((name, at) => NAMES.indexOf(name) !== at)).toEqual([]);
});

test("no guard has a second list of programs", () => {
  const known = new Set(NAMES);
  const guards = readdirSync(join(ROOT, POLICY)).map((name) => `${POLICY}/${name}`);
  // A list: three or more names with | between them, or as strings one after the other.
  const lists = /(?:\b[\w.+-]+\|){2,}[\w.+-]+|(?:"[\w.+-]+",\s*){2,}"[\w.+-]+"/g;
  const found = guards.flatMap((path) =>
    [...textOf(path).matchAll(lists)]
      .map(([list]) => list.match(/[\w.+-]+/g) ?? [])
      .filter((list) => list.filter((name) => known.has(name) && !SUBCOMMANDS.has(name)).length >= 3)
      .map((list) => `${path}: ${list.join(" ")}`),
  );
  expect(found).toEqual([]);
});

/** Words that are programs, too: `git fetch`, functions of awk, `ftp://`. */
const SUBCOMMANDS = new Set([
  "install",
  "fetch",
  "ftp",
  "rm",
  "kill",
  "exec",
  "split",
  "uniq",
  "sort",
  "reset",
  "watch",
  "time",
]);

test("the dangers on the card belong to programs of the table", () => {
  const [, needs = ""] =
    /\nconst NEEDS[^\n]*\{\n(.*?)\n\};/s.exec(textOf(`${POLICY}/../approval-card/command-needs.ts`)) ?? [];
  const named = [...needs.matchAll(/^ {2}"?([\w-]+)"?: /gm)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(40);
  const unknown = named.filter((name) => !NAMES.includes(name));
  expect(unknown).toEqual(UNLISTED);
});

/** Programs that the card explains and that every guard treats as unknown. */
const UNLISTED = [
  "gh",
  "bunx",
  "pipx",
  "uv",
  "poetry",
  "bundle",
  "gem",
  "composer",
  "mvn",
  "gradle",
  "apt",
  "apt-get",
].concat(["brew", "kubectl", "terraform", "aws"]);

test("versions of a program change and run what it does, and names of objects are no programs", () => {
  expect([...tagsOf({ words: ["mkfs.ext4", "/dev/sda"] })]).toEqual(["destructive"]);
  expect([...tagsOf({ words: ["pip2", "install", "x"] })]).toEqual(["mutating"]);
  expect(programNamed("python3.12")).toEqual({ tags: [], runs: "text", interprets: true });
  for (const name of ["constructor", "toString", "__proto__"]) {
    expect([...tagsOf({ words: [name, "x"] })]).toEqual(["unclassified"]);
    expect(unstableOption({ words: [name, "x"] })).toBeNull();
  }
});
