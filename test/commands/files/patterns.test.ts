// Globs, expressions and modes, compared with the programs of this computer.

import { describe, expect, test } from "bun:test";
import { globMatcher } from "../../../commands/files/glob.ts";
import { changedMode } from "../../../src/shell/programs/files/mode.ts";
import { matcher } from "../../../src/shell/programs/text/grep-pattern.ts";

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

/** The result of `case` in the shell. */
function shellSays(glob: string, name: string): boolean {
  const script = `case "$1" in ${glob.replace(/[^\w*?[\]!\\-]/g, (letter) => `"${letter}"`)}) exit 0;; *) exit 1;; esac`;
  const { exitCode } = Bun.spawnSync(["bash", "-c", script, "sh", name], { env: { LC_ALL: "C.UTF-8" } });
  return exitCode === 0;
}

test("globs match the same names as in a shell", () => {
  const wrong = GLOBS.flatMap((glob) =>
    NAMES.filter((name) => globMatcher(glob, { ignoreCase: false })(name) !== shellSays(glob, name)).map(
      (name) => `${glob} ${name}`,
    ),
  );
  expect(wrong).toEqual([]);
  expect(globMatcher("*.md", { ignoreCase: true })("B.MD")).toBe(true);
});

test("a malicious glob takes no time", () => {
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

describe("expressions match the same lines as grep", () => {
  test.each([["-G"], ["-E"], ["-F"], ["-w"], ["-i"]])("with %s", (flag) => {
    const flags = new Map([[flag.slice(1), ""]]);
    // POSIX leaves a repetition of nothing in an extended expression undefined.
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
          return matcher([pattern], "grep", flags);
        } catch {
          return null;
        }
      })();
      if (holds === null) return child.exitCode === 2 ? [] : [`${pattern}: refused`];
      const ours = LINES.flatMap((line, at) => (line.search(holds) === -1 ? [] : [at + 1]));
      return child.exitCode === 2 || ours.join() === theirs.join() ? [] : [`${pattern}: ${ours} and not ${theirs}`];
    });
    expect(wrong).toEqual([]);
  });

  test("an invalid expression is refused in one line", () => {
    expect(() => matcher(["a("], "egrep", new Map())).toThrow(/^grep: Unmatched \( or \\\($/);
  });
});

describe("modes", () => {
  test.each([
    ["0640", 0o777, 0o640],
    ["755", 0, 0o755],
    ["u+x", 0o644, 0o744],
    ["go-w", 0o666, 0o644],
    ["a=r", 0o777, 0o444],
    ["+x", 0o600, 0o711],
    ["g+s,o+t", 0o770, 0o3770],
    ["u=rw,go=", 0o755, 0o600],
    ["a+X", 0o600, 0o600],
    ["a+X", 0o700, 0o711],
  ])("%s turns %i into %i", (text, mode, wanted) => expect(changedMode(text, mode, false, 0)).toBe(wanted));

  test("X applies to directories too, and an invalid mode is refused", () => {
    expect(changedMode("a+X", 0o600, true, 0)).toBe(0o711);
    for (const text of ["", "8", "u", "rwx", "07777777", "u+q"]) expect(changedMode(text, 0, false, 0)).toBeNull();
  });
});
