// The manual as files for `man`: text is shown and never obeyed, and every command has its page.

import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GLOBAL_FLAGS } from "../../commands/global-flags.ts";
import { allCommands, nouns } from "../../commands/man/command-tree.ts";
import type { Block } from "../../commands/man/layout.ts";
import { manualFiles } from "../../commands/man/man-files.ts";
import { roff } from "../../commands/man/roff.ts";
import { COMMANDS } from "../../commands/table.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { scratchDirectory } from "../support/scratch.ts";

let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  files = await manualFiles(MANUAL, "0.1.0", COMMANDS);
});

function body(...blocks: Block[]): string[] {
  const page = roff({ name: "gsv-x", section: 1, source: "gsv 0.1.0", summary: "x", parts: [{ title: "T", blocks }] });
  return page.split("\n").slice(6, -1);
}

describe("a page as roff", () => {
  test("no text becomes a request or an escape, and copied text is unchanged", () => {
    expect(body({ kind: "text", text: ".so /etc/passwd" })).toEqual([".PP", "\\&.so /etc/passwd"]);
    expect(body({ kind: "text", text: "'br" })).toEqual([".PP", "\\(aqbr"]);
    expect(body({ kind: "item", text: "a\n.ex b" })).toEqual([".IP \\(bu 2", "a .ex b"]);
    expect(body({ kind: "code", lines: ["\\fBx --y '~/z' `w` ^", "", ".ig"] }).slice(3, 6)).toEqual([
      "\\(rsfBx \\-\\-y \\(aq\\(ti/z\\(aq \\(gaw\\(ga \\(ha",
      "\\&",
      "\\&.ig",
    ]);
    expect(body({ kind: "text", text: "ends … 🦊 \u001b[2J" })).toEqual([
      ".PP",
      "ends \\[u2026] \\[u1F98A] \\[u001B][2J",
    ]);
  });

  test("commands are bold, choices may wrap, rows have a head", () => {
    expect(body({ kind: "text", text: "see `gsv ps -l` too" })).toEqual([".PP", "see \\fBgsv ps \\-l\\fR too"]);
    expect(body({ kind: "usage", text: "gsv a|b" })).toEqual([".PP", "gsv a|\\:b"]);
    expect(body({ kind: "rows", rows: [["--x N", "a number"]] })).toEqual([".TP", "\\fB\\-\\-x N\\fR", "a number"]);
  });
});

describe("npm run man", () => {
  test("has a page for gsv, each command, each noun, each syscall and each built-in page", async () => {
    const names = [...(await allCommands(COMMANDS)).map(({ name }) => name), ...(await nouns(COMMANDS))];
    for (const name of names) expect(files.has(`man1/gsv-${name.replaceAll(" ", "-")}.1`)).toBe(true);
    for (const { page } of MANUAL) expect(files.has(`man7/gsv-${page}.7`)).toBe(true);
    expect(files.has("man2/gsv-proc.spawn.2")).toBe(true);
    const front = files.get("man1/gsv.1") ?? "";
    for (const name of names.filter((each) => !each.includes(" ")).slice(0, 20)) expect(front).toContain(name);
    for (const flag of Object.keys(GLOBAL_FLAGS)) expect(front).toContain(flag.replaceAll("-", "\\-"));
  });

  test("every page has its heading and name, uses known requests, and refers to existing pages", () => {
    const requests = /^\.(?:TH|SH|PP|IP|TP|RS|RE|nf|fi|nh|ad)\b/;
    for (const [path, text] of files) {
      const lines = text.split("\n");
      expect([path, lines[0]]).toEqual([
        path,
        expect.stringMatching(/^\.TH GSV[\w\\.-]* [127] "" "gsv 0\.1\.0" "gsv manual"$/),
      ]);
      expect(lines[3]).toBe(".SH NAME");
      expect(lines.filter((line) => /^[.']/.test(line) && !requests.test(line))).toEqual([]);
      expect(text).not.toMatch(/[^\n\x20-\x7e]|\\(?![-(&:[f]|fB|fR)/);
      expect(lines.filter((line) => line === ".nf").length).toBe(lines.filter((line) => line === ".fi").length);
      const [, seen = ""] = /\.SH "SEE ALSO"\n\.PP\n(.*)/.exec(text) ?? [];
      for (const [, name = "", section] of seen.replaceAll("\\-", "-").matchAll(/(\S+)\(([127])\)/g))
        expect([path, name, files.has(`man${section}/${name}.${section}`)]).toEqual([path, name, true]);
    }
  });

  test.skipIf(Bun.which("groff") === null)("groff accepts all of them without a warning", () => {
    const directory = scratchDirectory("man");
    for (const [path, text] of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    const env = { PATH: process.env.PATH ?? "" };
    const argv = ["groff", "-z", "-man", "-ww", "-Tutf8", ...files.keys()];
    const { stderr, exitCode } = Bun.spawnSync(argv, { cwd: directory, env });
    rmSync(directory, { recursive: true, force: true });
    expect([stderr.toString().slice(0, 2000), exitCode]).toEqual(["", 0]);
  });
});
