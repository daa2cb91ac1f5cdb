// Globs, expressions and modes as their programs take them, compared with what the programs of this machine say.

import { describe, expect, test } from "bun:test";
import { globMatcher } from "../../../commands/files/glob.ts";
import { lineMatcher } from "../../../commands/files/grep-pattern.ts";
import { modeFrom } from "../../../commands/files/mode.ts";

const NAMES = ["a.md", "b.MD", ".md", "a[1].md", "ab", "a", "", "a-b", "*", "x]y", "aXbXc", "\\", "日本.md"];
const GLOBS = [
  "*.md",
  "a*",
  "?",
  "*",
  "[ab].md",
  "[!a]*",
  "a[[]1].md",
  "\\*",
  "[]x]*",
  "a*b*c",
  "*]*",
  "[a-c]*",
  "日?.md",
];

/** What `case` of the shell says. */
function shellSays(glob: string, name: string): boolean {
  const script = `case "$1" in ${glob.replace(/[^\w*?[\]!\\-]/g, (letter) => `"${letter}"`)}) exit 0;; *) exit 1;; esac`;
  const { exitCode } = Bun.spawnSync(["bash", "-c", script, "sh", name], { env: { LC_ALL: "C.UTF-8" } });
  return exitCode === 0;
}

test("globs fit the names that fit them in a shell", () => {
  const wrong = GLOBS.flatMap((glob) =>
    NAMES.filter((name) => globMatcher(glob, { ignoreCase: false })(name) !== shellSays(glob, name)).map(
      (name) => `${glob} ${name}`,
    ),
  );
  expect(wrong).toEqual([]);
  expect(globMatcher("*.md", { ignoreCase: true })("B.MD")).toBe(true);
});

test("a glob made to take long takes no time", () => {
  expect(globMatcher("*a".repeat(200), { ignoreCase: false })(`${"a".repeat(5000)}b`)).toBe(false);
});

const LINES = [
  "abc",
  "a+c",
  "aac",
  "a|c",
  "(a)",
  "a.c",
  "ABC",
  "foo bar",
  "foobar",
  "a*",
  "x1y",
  "[z]",
  "tab\there",
  "{2}",
  "aa",
  "",
];
const PATTERNS = [
  "a.c",
  "a+c",
  "a\\+c",
  "a|c",
  "a\\|c",
  "(a)",
  "\\(a\\)c",
  "a*",
  "*",
  "^a",
  "c$",
  "[[:digit:]]",
  "[^a-c]",
  "[]z]",
  "a\\{2\\}",
  "a{2}",
  "\\<foo\\>",
  "{2}",
  "^$",
  "\\.",
  "[[:space:]]h",
  "^*",
];

describe("expressions find the lines that grep finds", () => {
  test.each([["-G"], ["-E"], ["-F"], ["-w"], ["-i"]])("with %s", (flag) => {
    const how = { fixed: flag === "-F", extended: flag === "-E", ignoreCase: flag === "-i", word: flag === "-w" };
    // In an extended expression nobody says what a repetition of nothing is.
    const tried = PATTERNS.filter((pattern) => flag !== "-E" || !/^\^?[*{]/.test(pattern));
    const wrong = tried.flatMap((pattern) => {
      const child = Bun.spawnSync(["grep", flag, "-n", "-e", pattern], {
        stdin: Buffer.from(`${LINES.join("\n")}\n`),
        env: { LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" },
      });
      const theirs = child.stdout
        .toString()
        .split("\n")
        .slice(0, -1)
        .map((line) => Number.parseInt(line, 10));
      const holds = (() => {
        try {
          return lineMatcher(pattern, how);
        } catch {
          return null;
        }
      })();
      if (holds === null) return child.exitCode === 2 ? [] : [`${pattern}: refused`];
      const ours = LINES.flatMap((line, at) => (holds(line) ? [at + 1] : []));
      return child.exitCode === 2 || ours.join() === theirs.join() ? [] : [`${pattern}: ${ours} and not ${theirs}`];
    });
    expect(wrong).toEqual([]);
  });

  test("and what is no expression is refused in one line", () => {
    expect(() => lineMatcher("a(", { fixed: false, extended: true, ignoreCase: false, word: false })).toThrow(
      /^grep: no expression: a\(/,
    );
  });
});

describe("modes", () => {
  test.each([
    ["0640", "0777", "0640"],
    ["755", "0000", "0755"],
    ["u+x", "0644", "0744"],
    ["go-w", "0666", "0644"],
    ["a=r", "0777", "0444"],
    ["+x", "0600", "0711"],
    ["g+s,o+t", "0770", "3770"],
    ["u=rw,go=", "0755", "0600"],
    ["a+X", "0600", "0600"],
    ["a+X", "0700", "0711"],
  ])("%s makes of %s %s", (text, mode, wanted) => expect(modeFrom(text, { mode, kind: "file" })).toBe(wanted));

  test("X is for directories too, and what is no mode is refused", () => {
    expect(modeFrom("a+X", { mode: "0600", kind: "directory" })).toBe("0711");
    for (const text of ["", "8", "u", "rwx", "07777777", "u+q"])
      expect(() => modeFrom(text, { mode: "0600", kind: "file" })).toThrow(/is no mode/);
  });
});
