import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { flagsOf } from "../../commands/args.ts";
import type { Command } from "../../commands/command.ts";
import { GLOBAL_FLAGS } from "../../commands/global-flags.ts";
import { commandNamed } from "../../commands/man/command-tree.ts";
import { COMMANDS } from "../../commands/table.ts";
import { titleKey } from "../../src/lib/text/search.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { dayPrompt, processPrompt, systemPrompt } from "../../src/prompts/system.ts";
import { parseScript } from "../../src/providers/script/script-file.ts";

/** Programs with Unix flags: several letters in one word. */
const UNIX: { readonly [name: string]: string } = {
  ls: "adlhtSrR1",
  kill: "STOP CONT INT TERM KILL 0 9",
  find: "name iname path type size mtime mmin newer empty mindepth maxdepth print0 7",
  du: "sabh",
  grep: "rnilcvFEwq",
};
const EVERYWHERE = ["--json", "--help", "--version", "--plain", "--init", ...Object.keys(GLOBAL_FLAGS)];

/** The command with the longest name at the start of the words; null for a noun without its verb. */
async function longest(words: readonly string[]): Promise<Command | null> {
  for (let count = words.length; count > 0; count--) {
    const found = await commandNamed(COMMANDS, words.slice(0, count));
    // A bare noun, or one with a flag or an address, may be a command itself; another word after it is an unknown verb.
    const next = words[count] ?? "-";
    if (found !== null) return found.verbs === undefined || /^[-|>"']|^URL$|:\/\//.test(next) ? found : null;
  }
  return null;
}

/** The fault of one gsv command line of the manual, or null. */
async function faultOf(line: string): Promise<string | null> {
  const words = line.split(/\s+/);
  const flags =
    line
      .replace(/ -- .*/, "")
      .replace(/"[^"]*"|'[^']*'/g, "")
      .match(/(?<=\s|^)--?[A-Za-z0-9][\w-]*/g) ?? [];
  if (EVERYWHERE.includes(words[0] ?? "")) return null;
  const found = await longest(words.slice(0, 3));
  if (found === null) return `no such command: ${words.slice(0, 2).join(" ")}`;
  const { spec } = found;
  const known = [...flagsOf(spec.input).keys(), ...EVERYWHERE];
  const unix = UNIX[spec.name] ?? "";
  const isUnix = (flag: string) =>
    !flag.startsWith("--") &&
    (unix.includes(" ")
      ? unix.split(" ").includes(flag.slice(1))
      : [...flag.slice(1)].every((each) => unix.includes(each)));
  const stranger = flags.find((flag) => !known.includes(flag) && !isUnix(flag));
  return stranger === undefined ? null : `${spec.name} has no flag ${stranger}`;
}

describe("the manual", () => {
  test("has each paragraph in one line, so that every screen wraps it to its width", () => {
    for (const { page, heading, text } of MANUAL) {
      const prose = text.replace(/^(`{3,}).*?^\1$/gms, "").split("\n");
      const broken = prose.filter((line, at) => /^[a-z(]/.test(line) && /^[A-Z]/.test(prose[at - 1] ?? ""));
      expect({ page, heading, broken }).toEqual({ page, heading, broken: [] });
    }
    expect(MANUAL.find(({ heading }) => heading === "Signals and traps")?.text).toEndWith(
      "Its status is 128 plus the number of the signal: 130 for ctrl-c, 143 for TERM.",
    );
  });

  test("has every page of its directory, split into sections with a heading and text", () => {
    const pages = readdirSync(`${import.meta.dir}/../../src/prompts/manual`).map((name) => name.replace(/\.md$/, ""));
    expect([...new Set(MANUAL.map((section) => section.page))].sort()).toEqual(pages.sort());
    for (const section of MANUAL) {
      expect(section.heading).not.toBe("");
      expect(section.words).not.toBe("");
      expect(section.about).toMatch(/^[^\n]{10,80}$/);
      expect(section.text).not.toContain("<!--");
      expect(section.commands.length).toBeGreaterThan(0);
    }
  });

  test("has no two titles that differ only in small words", () => {
    expect(new Set(MANUAL.map((section) => titleKey(section.heading))).size).toBe(MANUAL.length);
    expect(MANUAL.filter((section) => titleKey(section.heading) === "")).toEqual([]);
  });

  test("names only commands and flags that exist", async () => {
    const lines = MANUAL.flatMap((section) => [
      ...section.commands,
      ...[...section.text.matchAll(/`(gsv [^`]+)`/g)].map((match) => match[1] ?? ""),
    ]);
    const commands = lines.flatMap((line) => [...line.matchAll(/(?<![-\w./])gsv ((?:"[^"]*"|'[^']*'|[^;|&)])+)/g)]);
    const written = commands.map((match) => match[1]?.trim() ?? "").filter((line) => !/^NOUN/.test(line));
    expect(written.length).toBeGreaterThan(80);
    const faults = await Promise.all(written.map(faultOf));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  test("shows script lines that the script provider takes", () => {
    const lines = MANUAL.flatMap((section) => section.commands).flatMap(
      (line) => /^echo '(\{.*\})'/.exec(line)?.[1] ?? [],
    );
    expect(lines.length).toBeGreaterThan(2);
    expect(parseScript(lines.join("\n"))).toHaveLength(lines.length);
  });

  test("finds a command that does not exist, so the check can fail", async () => {
    expect(await faultOf("proc explode task:abc123")).toContain("no such command");
    expect(await faultOf("proc kill task:abc123 --gently")).toContain("--gently");
    expect(await faultOf("chat --loud hello")).toContain("--loud");
  });
});

describe("the system prompt", () => {
  const facts = { username: "sam-agent", owner: "sam", home: "/home/sam", cwd: "/home/sam/docs" };
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  const said = (at: number) =>
    systemPrompt(facts) + processPrompt({ ...facts, pid: "task:abc123", profile: "task" }) + dayPrompt(at);

  test("names agent, owner and place, in at most 2.5 KB", () => {
    for (const fact of ["sam-agent", "for sam", "/home/sam/docs", "task:abc123", "2026-01-02"])
      expect(said(now)).toContain(fact);
    expect(Buffer.byteLength(said(now))).toBeLessThanOrEqual(2560);
  });

  test("stays the same all day, so that prompt caches hold", () => {
    expect(said(now + 3_600_000)).toBe(said(now));
  });
});
